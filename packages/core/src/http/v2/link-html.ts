import { shortDigest, visible } from '../../events/index.js'
import type { LinkSettings, LinkView, ShownRequest } from '../../links/index.js'

/** Text of others, in which nothing is hidden and nothing is markup. */
export const escaped = (text: string): string =>
  visible(text).replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

const timeOf = (at: number): string => {
  const iso = new Date(at).toISOString()
  return `<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`
}

const styleOf = ({ color }: LinkSettings): string => `
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:44rem;padding:1rem;color:#1b1b1b;background:#fff;overflow-wrap:anywhere}
header{border-bottom:3px solid ${color};margin-bottom:1rem}
h1{font-size:1.25rem}
pre{background:#f3f3f3;padding:.75rem;white-space:pre-wrap;border-radius:4px}
dt{font-weight:600}dd{margin:0 0 .5rem}
label{display:block;margin:.75rem 0 .25rem}
textarea,input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem}
button{font:inherit;padding:.6rem 1.2rem;margin:1rem .5rem 0 0;border:2px solid ${color};border-radius:4px;background:#fff;color:#1b1b1b}
button.main{background:${color};color:#fff}
.notice{border-left:4px solid ${color};padding-left:.75rem}`

/** A whole page. `nonce` allows its style in its content security policy. */
export function linkPage(settings: LinkSettings, nonce: string, title: string, content: string): string {
  const name = escaped(settings.name)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${escaped(title)} – ${name}</title><style nonce="${nonce}">${styleOf(settings)}</style></head><body><header><p>${name}</p></header><main><h1>${escaped(title)}</h1>${content}</main></body></html>`
}

const paragraph = (text: string): string => `<p>${escaped(text)}</p>`

/** What is said of links that decide nothing. */
const said: Readonly<Record<Exclude<LinkView['state'], 'open' | 'decided'>, string>> = {
  expired: 'This link, or the request, has expired. No decision was made.',
  refused: 'You can no longer decide this. No decision was made.',
  withdrawn: 'The request was withdrawn: the task does not wait for it. No decision was made.',
  changed: 'The request has changed since. No decision was made.',
}

/** The content of a page, with its title. */
export interface PageContent {
  readonly title: string
  readonly content: string
}

export function contentOf(view: LinkView): PageContent {
  const { state, request, notice } = view
  const told = notice === null ? '' : `<p class="notice" role="alert">${escaped(notice)}</p>`
  if (state === 'open' && request !== null) return openContent(view, request, told)
  if (state === 'decided' && request !== null) return decidedContent(request)
  const text = state === 'open' || state === 'decided' ? said.withdrawn : said[state]
  return { title: 'No decision to make', content: told + paragraph(text) }
}

function openContent({ expiresAt }: LinkView, request: ShownRequest, told: string): PageContent {
  const { taskId, taskTitle, askedBy, person, approval, question } = request
  const facts = `<dl><dt>Task</dt><dd>${escaped(taskTitle)} (${escaped(taskId)})</dd><dt>Asked by</dt><dd>${escaped(askedBy)}</dd><dt>Decides as</dt><dd>${escaped(person)}</dd><dt>Open until</dt><dd>${timeOf(expiresAt)}</dd></dl>`
  if (approval === null) {
    const form =
      '<form method="post"><label for="answer">Your answer</label><textarea id="answer" name="answer" rows="5" required maxlength="20000"></textarea><button class="main">Answer</button></form>'
    return {
      title: 'A question for you',
      content: `${told}<pre>${escaped(question?.body ?? '')}</pre>${facts}${form}`,
    }
  }
  const input = JSON.stringify(approval.input, null, 2)
  const digest = `<dl><dt>Action</dt><dd>${escaped(approval.action)}</dd><dt>Digest of the input</dt><dd><code>${shortDigest(approval.inputDigest)}</code></dd></dl>`
  const form =
    '<form method="post"><label for="comment">Comment</label><textarea id="comment" name="comment" rows="3" maxlength="19800"></textarea><button class="main" name="decision" value="approved">Approve</button><button name="decision" value="rejected">Reject</button></form>'
  return {
    title: 'Your approval is asked',
    content: `${told}${paragraph(approval.summary)}${digest}<h2>Exact input</h2><pre>${escaped(input)}</pre>${facts}${form}`,
  }
}

function decidedContent({ taskTitle, approval, answer }: ShownRequest): PageContent {
  const isRejected = approval?.status === 'rejected'
  const what = approval === null ? 'Answered' : isRejected ? 'Rejected' : 'Approved'
  const by = approval === null ? answer?.author : approval.decidedBy
  const at = approval === null ? answer?.createdAt : approval.decidedAt
  const text = approval === null ? answer?.body : approval.comment
  const who = by?.name ?? by?.id ?? 'the host'
  const when = at == null ? '' : `, ${timeOf(at)}`
  const comment = text == null ? '' : `<pre>${escaped(text)}</pre>`
  return {
    title: what,
    content: `<p>${what} by ${escaped(who)}${when}, for the task ${escaped(taskTitle)}. This is decided, and the link decides nothing more.</p>${comment}`,
  }
}

/** Asks the person to log in: with Taskboard's login on the page itself. */
export function loginContent(
  { loginUrl }: LinkSettings,
  hasLogin: boolean,
  notice: string | null,
): PageContent {
  const told = notice === null ? '' : `<p class="notice" role="alert">${escaped(notice)}</p>`
  if (!hasLogin) {
    const where = loginUrl === null ? '' : ` <a href="${escaped(loginUrl)}" rel="noreferrer">Log in</a>`
    return {
      title: 'Log in first',
      content: `${told}<p>Log in as the person whom this link was sent to, then open it again.${where}</p>`,
    }
  }
  return {
    title: 'Log in first',
    content: `${told}<form method="post"><label for="password">Your password</label><input id="password" name="password" type="password" required autocomplete="current-password"><label for="code">Code of your second factor, if you have one</label><input id="code" name="code" autocomplete="one-time-code"><button class="main">Log in</button></form>`,
  }
}
