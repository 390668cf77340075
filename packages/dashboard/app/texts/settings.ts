/** Of the settings. */
export const settingsText = {
  title: 'Settings',
  sections: 'Sections of the settings',
  tabs: {
    keys: 'API keys',
    webhooks: 'Webhooks',
    channels: 'Notifications',
    schedules: 'Schedules',
    members: 'Members',
    security: 'Your login',
    workspaces: 'Workspaces',
    usage: 'Usage',
  },
  nothingAllowed: 'Your permissions do not include any of the settings. Ask an owner of the account.',
} as const
