import type { AuditRecord, ListAuditQuery } from '@taskboard/client'
import { useState } from 'preact/hooks'
import { client } from '../state/api.js'
import { complain } from '../state/notices.js'
import { auditText as text } from '../texts/audit.js'
import { formatExact } from '../texts/format.js'
import { Select, TextInput } from '../ui/form.js'
import { useMemberEmails } from '../ui/member-emails.js'
import { ShowPages, usePages } from '../ui/pages.js'
import { toCsv } from './audit-csv.js'

const PAGE = 100

interface Filter {
  readonly action: AuditRecord['action'] | ''
  /** Days as an input has them; empty for none. */
  readonly from: string
  readonly to: string
}

/** The start of a day in the viewer's time zone. */
function startOf(day: string, daysAfter = 0): string | undefined {
  const date = new Date(`${day}T00:00`)
  date.setDate(date.getDate() + daysAfter)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

const queryOf = ({ action, from, to }: Filter): ListAuditQuery => ({
  ...(action === '' ? {} : { action }),
  from: startOf(from),
  to: startOf(to, 1),
})

/** Who did what in the account. */
export function AuditPage() {
  const [filter, setFilter] = useState<Filter>({ action: '', from: '', to: '' })
  const query = queryOf(filter)
  const emails = useMemberEmails()
  const pages = usePages<AuditRecord>(
    async (cursor, signal) => {
      const page = await client.account.audit.list({ ...query, limit: PAGE, cursor }, { signal })
      return { items: page.records, next: page.next_cursor }
    },
    [filter.action, query.from, query.to],
  )
  return (
    <div class="page-inner">
      <p class="quiet">{text.about}</p>
      <section class="period" aria-label={text.filter}>
        <div class="period-fields">
          <Select
            label={text.action}
            value={filter.action}
            options={[
              ['', text.everyAction],
              ...(Object.entries(text.actions) as [AuditRecord['action'], string][]),
            ]}
            onValue={(action) => setFilter({ ...filter, action })}
          />
          <TextInput
            label={text.from}
            type="date"
            value={filter.from}
            onValue={(from) => setFilter({ ...filter, from })}
          />
          <TextInput
            label={text.to}
            type="date"
            value={filter.to}
            onValue={(to) => setFilter({ ...filter, to })}
          />
        </div>
        <div class="actions">
          <Download query={query} />
        </div>
      </section>
      <section class="panel" aria-label={text.title}>
        <ShowPages pages={pages} empty={<p class="quiet">{text.empty}</p>}>
          {(records) => (
            <ul class="row-list">
              {records.map((record) => (
                <Row key={record.id} of={record} emails={emails} />
              ))}
            </ul>
          )}
        </ShowPages>
      </section>
    </div>
  )
}

function Row({
  of: { at, action, outcome, by, target, details, count },
  emails,
}: {
  readonly of: AuditRecord
  /** Of members, by their ids. */
  readonly emails: ReadonlyMap<string, string>
}) {
  const nameOf = (id: string): string => emails.get(id) ?? id
  const facts = Object.entries(details).filter(([, value]) => value !== null && value !== '')
  return (
    <li>
      <div class="row-main">
        <p class="row-title">
          {text.actions[action]} {outcome === 'refused' && <span class="chip chip-bad">{text.refused}</span>}
        </p>
        <p class="quiet row-facts">
          <time dateTime={at}>{formatExact(Date.parse(at))}</time>
          <span>
            {text.kinds[by.kind]} <bdi>{by.name ?? nameOf(by.id ?? '')}</bdi>
          </span>
          {by.client_address !== null && (
            <span>
              {text.fromAddress} <bdi>{by.client_address}</bdi>
            </span>
          )}
          {target !== null && <bdi>{nameOf(target.id)}</bdi>}
          {count > 1 && <span>{text.times(count)}</span>}
          {facts.map(([name, value]) => (
            <bdi key={name}>
              {name}: {Array.isArray(value) ? value.join(', ') : String(value)}
            </bdi>
          ))}
        </p>
      </div>
    </li>
  )
}

/** Reads all that matches, and saves it as a file. */
function Download({ query }: { readonly query: ListAuditQuery }) {
  const [isReading, setReading] = useState(false)
  const save = async (): Promise<void> => {
    const records: AuditRecord[] = []
    for await (const record of client.account.audit.listAll({ ...query, limit: 1_000 })) records.push(record)
    const url = URL.createObjectURL(new Blob([toCsv(records)], { type: 'text/csv' }))
    const link = document.createElement('a')
    link.href = url
    link.download = text.fileName
    link.click()
    URL.revokeObjectURL(url)
  }
  const run = (): void => {
    setReading(true)
    save()
      .catch(complain)
      .finally(() => setReading(false))
  }
  return (
    <button type="button" class="button" disabled={isReading} onClick={run}>
      {isReading ? text.downloading : text.download}
    </button>
  )
}
