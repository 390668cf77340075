import { useState } from 'preact/hooks'
import type { CreateAgentBody, UpdateAgentBody } from '@taskboard/client'
import { client, workspaceId } from '../state/api.js'
import { useRequestKey } from '../state/request-key.js'
import type { Agent } from '../state/wire.js'
import { agentsText as text } from '../texts/agents.js'
import { announce } from '../state/notices.js'
import { FormDialog } from '../ui/form-dialog.js'
import { TextArea, TextInput, useForm } from '../ui/form.js'

interface Draft {
  readonly name: string
  readonly type: string
  readonly model: string
  readonly prompt: string
  readonly capabilities: string
  readonly tools: string
  readonly maxConcurrent: string
}

function draftOf(agent: Agent | null): Draft {
  return {
    name: agent?.name ?? '',
    type: agent?.type ?? '',
    model: agent?.model ?? '',
    prompt: agent?.system_prompt ?? '',
    capabilities: agent?.capabilities.join(', ') ?? '',
    tools: agent?.tools.join(', ') ?? '',
    maxConcurrent: agent?.max_concurrent?.toString() ?? '',
  }
}

/** The parts of a list that was typed with commas. */
export function splitList(typed: string): readonly string[] {
  return typed
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** A value for each field: `tsc` names one that the form lacks. Others pause an agent and place it. */
type FormBody = {
  readonly [Member in Exclude<keyof CreateAgentBody, 'paused' | 'workspace_id'>]-?: CreateAgentBody[Member]
}

function bodyOf(draft: Draft): FormBody {
  const { name, type, model, prompt, capabilities, tools, maxConcurrent } = draft
  return {
    name: name.trim(),
    type: type.trim(),
    model: model.trim() === '' ? null : model.trim(),
    system_prompt: prompt === '' ? null : prompt,
    capabilities: splitList(capabilities),
    tools: splitList(tools),
    max_concurrent: maxConcurrent === '' ? null : Number(maxConcurrent),
  }
}

/** What the form changed. The rest stays as it is now, even if someone else has changed it. */
function changesOf(draft: Draft, before: Agent): UpdateAgentBody {
  const old: Readonly<Record<string, unknown>> = { ...bodyOf(draftOf(before)) }
  return Object.fromEntries(
    Object.entries(bodyOf(draft)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]),
    ),
  )
}

/** Creates an agent, or changes the one that is given. */
export function AgentForm({
  agent,
  onClose,
  onSaved,
}: {
  readonly agent: Agent | null
  readonly onClose: () => void
  readonly onSaved: (agent: Agent) => void
}) {
  // The list may read the agent again while the form is open.
  const [before] = useState(agent)
  const form = useForm(() => draftOf(before))
  const idempotencyKey = useRequestKey([form.draft])
  const send = async (): Promise<void> => {
    const saved =
      before === null
        ? await client.agents.create(
            { ...bodyOf(form.draft), workspace_id: workspaceId() },
            { idempotencyKey },
          )
        : await client.agents.update(before.id, changesOf(form.draft, before))
    announce(before === null ? text.isCreated(saved.name) : text.isSaved)
    onClose()
    onSaved(saved)
  }
  const [title, action] = before === null ? [text.create, text.form.create] : [text.edit]
  return (
    <FormDialog form={form} title={title} action={action} send={send} onClose={onClose}>
      <TextInput label={text.form.name} required maxLength={100} autofocus {...form.field('name')} />
      <TextInput
        label={text.form.type}
        hint={text.form.typeHint}
        required
        maxLength={64}
        {...form.field('type')}
      />
      <div class="columns-2">
        <TextInput
          label={text.form.model}
          hint={text.form.modelHint}
          maxLength={200}
          {...form.field('model')}
        />
        <TextInput
          label={text.form.maxConcurrent}
          hint={text.form.maxConcurrentHint}
          type="number"
          min={1}
          max={100_000}
          {...form.field('maxConcurrent', 'max_concurrent')}
        />
      </div>
      <TextArea
        label={text.form.prompt}
        rows={6}
        maxLength={100_000}
        {...form.field('prompt', 'system_prompt')}
      />
      <TextInput label={text.form.capabilities} hint={text.form.listHint} {...form.field('capabilities')} />
      <TextInput label={text.form.tools} hint={text.form.listHint} {...form.field('tools')} />
    </FormDialog>
  )
}
