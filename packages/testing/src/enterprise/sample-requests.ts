/** A body with which an operation passes all its checks but whether what it names exists, by operation id. */
export const sampleBodies: Readonly<Record<string, object>> = {
  createWorkspace: { name: 'Second' },
  createWebhook: { url: 'https://receiver.example/hook', events: ['task.created'] },
  updateWebhook: { enabled: true },
  rotateWebhookSecret: {},
  resendDeliveries: { delivery_id: 'evt_00000000000000000000000000' },
}
