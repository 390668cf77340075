/** The type of notification channel of the suites, for tests of what stores such channels. */
export { SUITE_CHANNEL_TYPE, suiteChannelType } from '../../../packages/testing/src/v2/suite-channel-type.js'
