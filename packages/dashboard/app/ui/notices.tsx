import { dismiss, notices, openDialogs, spoken } from '../state/notices.js'
import { text } from '../texts/index.js'
import { Icon } from './icon.js'

/** The place of the messages: in the page, and in each dialog. */
export function Notices({ level = 0 }: { readonly level?: number }) {
  if (level !== openDialogs.value) return null
  return (
    <>
      <div class="visually-hidden" role="status" aria-live="polite">
        {spoken.value}
      </div>
      <div class="notices" role="region" aria-label={text.nav.messages}>
        {notices.value.map((notice) => (
          <div
            key={notice.id}
            class={`notice notice-${notice.tone}`}
            role={notice.tone === 'error' ? 'alert' : 'status'}
          >
            <p>
              {notice.message}
              {notice.requestId !== null && <small> {text.errors.request(notice.requestId)}</small>}
            </p>
            {notice.action !== undefined && (
              <button
                type="button"
                class="button button-small"
                onClick={() => {
                  dismiss(notice.id)
                  notice.action?.run()
                }}
              >
                {notice.action.label}
              </button>
            )}
            <button
              type="button"
              class="icon-button"
              aria-label={text.actions.dismiss}
              onClick={() => dismiss(notice.id)}
            >
              <Icon name="close" />
            </button>
          </div>
        ))}
      </div>
    </>
  )
}
