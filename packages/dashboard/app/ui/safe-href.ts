const WEB = ['http:', 'https:']

/** An address of the web that an agent or a user wrote; null for all others, such as `javascript:`. */
export function safeHref(address: string, isMailAllowed = false): string | null {
  try {
    const { href, protocol } = new URL(address)
    return WEB.includes(protocol) || (isMailAllowed && protocol === 'mailto:') ? href : null
  } catch {
    return null
  }
}
