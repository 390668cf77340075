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
  asLink: (email: string, account: string) => `Log in as ${email} to ${account}?`,
  asLinkAbout: 'A link brought you here. Go on only if it was meant for you, and you know who sent it.',
  asLinkSubmit: 'Log in',
  asLinkRefuse: 'Not me',
  join: (email: string, account: string) => `Join ${account} as ${email}`,
  joinAbout: 'Choose the password with which you will log in.',
  joinPassword: 'Password',
  joinHint: '12 characters or more.',
  joinSubmit: 'Join',
  none: 'This board knows no people: its host has set up neither `tokens` nor `authenticate`. Ask the developer of the host.',
} as const

/** Of the question to somebody who is logged in. */
export const stepUpText = {
  title: 'Confirm that it is you',
  about: 'This change needs a login within the last ten minutes.',
  submit: 'Confirm',
} as const
