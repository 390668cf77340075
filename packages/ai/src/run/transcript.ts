import { modelMessageSchema, type ModelMessage } from 'ai'
import { z } from 'zod'
import type { Run } from './run.js'

export interface OpenTranscript {
  /** The messages of earlier attempts. */
  readonly before: readonly ModelMessage[]
  /** Never rejects: a transcript that is lost costs no task. */
  keep(messages: readonly ModelMessage[]): Promise<void>
}

/** A transcript of more than this many times the prompt isn't resumed. */
const MOST_PROMPTS = 4
const OUTPUT_NAME = 'transcript'

/** Without system messages: each attempt has its own instructions. */
const isResumable = (message: unknown): boolean => {
  const { success, data } = modelMessageSchema.safeParse(message)
  return success && data.role !== 'system'
}
const transcriptSchema = z.array(z.custom<ModelMessage>(isResumable))

export async function openTranscript(run: Run): Promise<OpenTranscript> {
  const { settings, task, context } = run
  const place = settings.transcripts
  if (place === null) return { before: [], keep: () => Promise.resolve() }
  const isRepeat = context.claim.earlierAttempts.length > 0
  const known = isRepeat ? (await context.board.outputs(task.id)).map(({ url }) => url) : []
  const urls = new Set(known)
  return {
    before: isRepeat && place.load !== undefined ? await resume(run, () => place.load?.(task) ?? null) : [],
    async keep(messages) {
      try {
        const url = await place.save(task, JSON.stringify(messages))
        if (context.signal.aborted || urls.has(url)) return
        await context.output({ type: 'application/json', name: OUTPUT_NAME, url })
        urls.add(url)
      } catch {
        await warn(run, 'the transcript could not be kept')
      }
    },
  }
}

async function resume(run: Run, load: () => Promise<string | null> | null): Promise<readonly ModelMessage[]> {
  try {
    const text = await load()
    if (text === null || text.length > MOST_PROMPTS * run.settings.promptCharacters) return []
    return withAllResults(transcriptSchema.parse(JSON.parse(text)))
  } catch {
    await warn(run, 'the transcript of the attempt before could not be read')
    return []
  }
}

async function warn({ context }: Run, message: string): Promise<void> {
  if (!context.signal.aborted) await context.log(message, 'warn')
}

/** Providers reject a call without a result: the attempt ended there. */
function withAllResults(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const answered = new Set<string>()
  const called: { readonly toolCallId: string; readonly toolName: string }[] = []
  for (const { content } of messages) {
    for (const part of typeof content === 'string' ? [] : content) {
      if (part.type === 'tool-result') answered.add(part.toolCallId)
      if (part.type === 'tool-call' && part.providerExecuted !== true) called.push(part)
    }
  }
  const open = called.filter(({ toolCallId }) => !answered.has(toolCallId))
  if (open.length === 0) return messages
  const value = 'The attempt ended at this call. The next message says what came of it.'
  return [
    ...messages,
    {
      role: 'tool',
      content: open.map(({ toolCallId, toolName }) => ({
        type: 'tool-result',
        toolCallId,
        toolName,
        output: { type: 'text', value },
      })),
    },
  ]
}
