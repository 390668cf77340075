import type { CreateApiKeyBody } from '@taskboard/client'

export type Scope = CreateApiKeyBody['scopes'][number]
