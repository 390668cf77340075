/** Of the login. */
export const loginText = {
  email: 'Email',
  password: 'Password',
  code: 'Code',
  codeHint: 'From your authenticator app, or a recovery code.',
  submit: 'Log in',
  busy: 'Logging in …',
  host: 'You are not logged in.',
  hostLink: 'Go to the login',
  none: 'This board knows no people: its host has set up neither `tokens` nor `authenticate`. Ask the developer of the host.',
} as const
