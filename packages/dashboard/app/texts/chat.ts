/** Of the chat. */
export const chatText = {
  title: 'Chat',
  about:
    'Chat with the agent of this workspace. Only this browser tab keeps the messages; the agent sees one message at a time.',
  empty: 'Ask about the board, or ask the agent to add a task.',
  log: 'Conversation',
  label: 'Message',
  placeholder: 'Write a message',
  hint: 'Enter sends, Shift+Enter starts a new line.',
  send: 'Send',
  sending: 'The agent is replying …',
  clear: 'Clear',
  you: 'You',
  agent: 'Agent',
  failed: 'Not sent',
  noAgent: 'No chat agent in this workspace.',
  noAgentHow: 'To add one, give an agent of createTaskboard a chat function.',
  notAllowed: "You don't have permission to chat.",
} as const
