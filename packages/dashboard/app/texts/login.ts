/** Of the login. */
export const loginText = {
  email: 'Email',
  password: 'Password',
  code: 'Code',
  codeHint: 'From your authenticator app, or a recovery code.',
  submit: 'Log in',
  busy: 'Logging in …',
  host: 'You are not logged in.',
  hostLink: 'Go to login',
  asLink: (email: string, account: string) => `Log in as ${email} to ${account}?`,
  asLinkAbout: 'You followed a login link. Continue only if it was meant for you and you know who sent it.',
  asLinkSubmit: 'Log in',
  asLinkRefuse: 'Not me',
  join: (email: string, account: string) => `Join ${account} as ${email}`,
  joinAbout: 'Choose a password to log in with.',
  joinPassword: 'Password',
  joinHint: 'At least 12 characters.',
  joinSubmit: 'Join',
  none: 'Sign-in is not set up on this server. Ask your administrator.',
} as const

/** Of the question to someone who is logged in. */
export const stepUpText = {
  title: "Confirm that it's you",
  about: 'This change needs a login within the last ten minutes.',
  submit: 'Confirm',
} as const
