export type {
  BotStore,
  ClaimedMessage,
  ConnectedConversation,
  ConversationQuery,
  LinkCode,
  LinkQuery,
  MessageOffer,
  MessagePlace,
  MessageQuery,
  MessengerLink,
  SettledMessage,
  TakenUpdate,
} from './bot-store.js'
export { checkedBots } from './bot.js'
export type { Bot, BotRequest, BotResponse, ShownCard } from './bot.js'
export type {
  BotDesk,
  LinkOffer,
  Member,
  Pressed,
  Replied,
  Spoken,
  SpokenTask,
  TaskReport,
} from './bot-desk.js'
export { linkCodeInput } from './bot-links.js'
export type { BotLinks, Messenger, NewLinkCode } from './bot-links.js'
export { createBots } from './bots.js'
export type { BotRoute, Bots } from './bots.js'
export type { Card, CardApproval, CardState } from './card.js'
export { isForPeople } from './desk.js'
export { isFlood } from './desk-people.js'
