/** The parts of core that tests and benchmarks of other packages run without a task board around them. */
export { ephemeralSecretBox } from '../../../packages/core/src/access/index.js'
export { createBackgroundLoop, createEnvironment } from '../../../packages/core/src/environment/index.js'
export { createDeliverer } from '../../../packages/core/src/webhooks/deliverer.js'
export { systemResolver } from '../../../packages/core/src/webhooks/resolver.js'
export { secretContext } from '../../../packages/core/src/webhooks/signing-keys.js'
export { createUndiciSender } from '../../../packages/core/src/webhooks/undici-sender.js'
export { resolveWebhookSettings } from '../../../packages/core/src/webhooks/webhook-options.js'
export { createWebhooks } from '../../../packages/core/src/webhooks/webhooks.js'
