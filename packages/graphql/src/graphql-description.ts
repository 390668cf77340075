import type { PathDescription } from '@taskboard/core/transport'

const request = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'The document.' },
    variables: { type: ['object', 'null'], additionalProperties: {} },
    operationName: { type: ['string', 'null'] },
    extensions: { type: ['object', 'null'], additionalProperties: {} },
  },
  required: ['query'],
}
const result = {
  type: 'object',
  properties: {
    data: { type: ['object', 'null'], additionalProperties: {} },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          message: { type: 'string' },
          path: { type: 'array', items: { type: ['string', 'integer'] } },
          extensions: { type: 'object', additionalProperties: {}, description: 'Has the code of the error.' },
        },
        required: ['message'],
      },
    },
  },
}
const content = {
  'application/json': { schema: result },
  'application/graphql-response+json': { schema: result },
}
const refused = (description: string) => ({ description, content })
const common = {
  tags: ['graphql'],
  security: [{ bearer: [] }],
  responses: {
    200: {
      description: 'The result. Fields that failed are null, and their errors are in errors.',
      content,
    },
    400: refused('INVALID_REQUEST.'),
    401: refused('AUTHENTICATION_FAILED.'),
    405: refused('METHOD_NOT_ALLOWED.'),
    413: refused('PAYLOAD_TOO_LARGE.'),
    415: refused('UNSUPPORTED_MEDIA_TYPE.'),
    429: refused('RATE_LIMIT_EXCEEDED.'),
    500: refused('INTERNAL_ERROR.'),
    503: refused('SERVICE_UNAVAILABLE.'),
  },
}

/** The endpoint in the OpenAPI document. The schema describes itself. */
export const graphqlDescription: PathDescription = {
  get: {
    ...common,
    operationId: 'queryGraphqlByGet',
    summary: 'Runs a query given in the address',
    description: 'GraphQL over HTTP, without mutations. Each field requires its scope.',
    parameters: ['query', 'variables', 'operationName', 'extensions'].map((name) => ({
      name,
      in: 'query',
      required: name === 'query',
      schema: { type: 'string' },
    })),
  },
  post: {
    ...common,
    operationId: 'queryGraphql',
    summary: 'Runs a query or a mutation',
    description: 'GraphQL over HTTP. Each field requires its scope.',
    parameters: [],
    requestBody: { required: true, content: { 'application/json': { schema: request } } },
  },
}
