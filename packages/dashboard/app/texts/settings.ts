/** Of the settings. */
export const settingsText = {
  title: 'Settings',
  sections: 'Sections of the settings',
  tabs: {
    keys: 'API keys',
    webhooks: 'Webhooks',
    channels: 'Notifications',
    schedules: 'Schedules',
    messengers: 'Messengers',
    members: 'Members',
    security: 'Your login',
    workspaces: 'Workspaces',
    usage: 'Usage',
  },
  nothingAllowed: "Your permissions don't include any settings. Ask an account owner.",
} as const
