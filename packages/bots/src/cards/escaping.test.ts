import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foundEntities } from '@taskboard/kit/messengers/telegram-server'
import { readable } from '../../test/slack-server.js'
import { fittingHtml, toTelegramHtml } from './html.js'
import { fittingBlocks, fromSlack, toSlackMrkdwn } from './mrkdwn.js'
import { isolated, shortened } from './rich-text.js'

/** What people write who want a bot to say something else. */
const BASES = [
  '<b>bold</b>',
  '</b></pre>',
  '<a href="https://evil.example">click</a>',
  '&lt;b&gt; &amp;lt;',
  '@channel @here @ada_lovelace',
  '<!channel> <!here|here>',
  '<@U123> <#C123|ops>',
  '<https://evil.example|your bank>',
  'https://evil.example/a?b=c&d=e',
  'evil.example and www.evil.example',
  '/start /cancel #tag $USD +4712345678',
  '*bold* _italic_ ~struck~ `code` ```block```',
  '> quoted\n>>> all of it',
  ':tada: :warning:',
  '\u202Egnp.exe\u202C',
  '\u2066hidden',
  '👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301',
  'שלום עולם مرحبا',
  '"quoted" \'single\' | pipe \\ back',
  'a\u0000b\u0007c\u001b[31m',
]
const HOSTILE = BASES.flatMap((one, index) => [
  one,
  `${one}${BASES[(index + 7) % BASES.length] ?? ''}`,
  `${BASES[(index + 3) % BASES.length] ?? ''} ${one}`,
  `x${one}y`,
  one.repeat(3),
])

const withoutJoiners = (text: string): string => text.replaceAll('\u2060', '')

describe('a hundred hostile texts', () => {
  it('stay what they are in Telegram, with no tag, mention or link of theirs', () => {
    expect(HOSTILE).toHaveLength(100)
    for (const text of HOSTILE) {
      const html = toTelegramHtml([[text], [{ bold: text }]])
      expect(html.replaceAll(/<\/?b>/g, '')).not.toMatch(/[<>]/)
      expect(foundEntities(html)).toEqual([])
      const [first = ''] = html.split('\n<b>')
      const read = first
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&')
      expect(withoutJoiners(read)).toBe(text)
    }
  })

  it('stay what they are in Slack, with no command, mention, link or format of theirs', () => {
    for (const text of HOSTILE) {
      const mrkdwn = toSlackMrkdwn([[text]])
      expect(mrkdwn).not.toMatch(/[<>]/)
      expect(mrkdwn).not.toMatch(/(^|[^\u2060])[*_~`:]/)
      expect(mrkdwn).not.toMatch(/^&gt;/m)
      expect(readable(mrkdwn)).toBe(withoutJoiners(text))
      const block = toSlackMrkdwn([[{ block: text }]])
      expect(block.slice(4, -4)).not.toContain('```')
    }
  })

  it('that Slack sends arrive as they were written', () => {
    const escaped = (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    for (const text of HOSTILE) expect(fromSlack(escaped(text))).toBe(text)
    expect(
      fromSlack(
        '<!here> <@U1|ada> <#C1|ops> <https://a.example/|a.example> <mailto:a@b.example|a@b.example>',
      ),
    ).toBe('@here @ada #ops https://a.example/ a@b.example')
  })
})

describe('a long text', () => {
  it('is cut between characters', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 300 })
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 80 }), (text, most) => {
        const cut = shortened(text, most)
        expect(cut.length).toBeLessThanOrEqual(most)
        if (cut !== text) expect(text.startsWith(cut.slice(0, -1))).toBe(true)
        expect(cut.isWellFormed()).toBe(true)
      }),
    )
  })

  it('fits both messengers', () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', '*', '<', '.', '&', '@', '🙂', '\n'),
      minLength: 3_000,
      maxLength: 9_000,
    })
    fc.assert(
      fc.property(texts, (text) => {
        const message = (budget: number) => ({
          text: [[shortened(text, budget)], [{ block: shortened(text, budget) }]],
          buttons: [],
        })
        const [section] = fittingBlocks(message).blocks as { text: { text: string } }[]
        expect(section?.text.text.length).toBeLessThanOrEqual(3_000)
        const { html } = fittingHtml(message)
        const counted = html.replaceAll(/<[^>]*>/g, '').replaceAll(/&(amp|lt|gt|quot);/g, '.')
        expect(counted.length).toBeLessThanOrEqual(4_096)
      }),
      { numRuns: 30 },
    )
  })

  it('whose direction is turned turns nothing behind it', () => {
    expect(isolated('\u202Eabc')).toBe('\u202Eabc\u202C')
    expect(isolated('\u2067abc\u2069')).toBe('\u2067abc\u2069')
    expect(isolated('plain')).toBe('plain')
  })
})
