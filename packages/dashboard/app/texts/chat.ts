/** Of the chat. */
export const chatText = {
  title: 'Chat',
  about:
    'With the chat agent of this workspace. Only this browser tab keeps the conversation; the agent sees one message at a time.',
  empty: 'Ask about the board, or ask for a task.',
  log: 'Conversation',
  label: 'Message',
  placeholder: 'Write a message',
  hint: 'Enter sends, Shift+Enter begins a new line.',
  send: 'Send',
  sending: 'The agent is answering …',
  clear: 'Clear',
  you: 'You',
  agent: 'Agent',
  failed: 'Not sent',
  noAgent: 'No agent answers in this workspace.',
  noAgentHow:
    'The program that serves the board adds one: an agent with a chat function, in the agents of createTaskboard.',
  notAllowed: 'You do not have the permission to chat.',
} as const
