/** Of the accounts and conversations of messengers. */
export const messengersText = {
  title: 'Linked accounts',
  about:
    'A linked account writes to the bot as you: it adds tasks, answers questions and decides approvals with your permissions.',
  none: 'This server has no bot in a messenger. Its operator can add one: see “Bots” in the documentation.',
  newCode: 'Link an account',
  send: 'Send this code to the bot in a direct message. The bot asks you before it links the account.',
  open: (messenger: string) => `Open ${messenger} with the code`,
  valid: 'Valid once, until',
  linked: 'Linked',
  unlink: 'Unlink',
  isUnlinked: (name: string) => `Unlinked ${name}.`,
  conversations: 'Connected conversations',
  conversationsAbout:
    'Tasks that people write in these conversations go to a workspace of the account. To connect one, write /task connect and the name of the workspace there.',
  connected: 'Connected',
  failed: 'The bot was removed',
  disconnect: 'Disconnect',
  disconnectTitle: 'Disconnect the conversation?',
  disconnectMessage: (title: string) =>
    `${title} gets no more messages, and people can no longer add tasks there.`,
  isDisconnected: (title: string) => `Disconnected ${title}.`,
} as const
