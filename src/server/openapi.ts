import { z } from 'zod'
import { errorAnswer } from '../protocol/fields.ts'
import { paths, type RouteName } from '../protocol/route-paths.ts'
import { otherInputs, routes } from '../protocol/route-schemas.ts'
import { sessionOpened } from '../protocol/session.ts'

interface Other {
  readonly method: 'get' | 'post'
  readonly summary: string
  readonly status: number
  /** Media type and schema of a response. */
  readonly content: Readonly<Record<string, object>>
  readonly parameters: readonly object[]
  readonly body?: object
  /** Whether it needs no authentication. */
  readonly isOpen?: true
}

const text = { schema: { type: 'string' } }
const links = { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] }
const idempotencyKey = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 255 } }

/** Routes whose response is not JSON, or that belong to the server itself. */
const OTHERS: Readonly<Record<string, Other>> = {
  '/conversations/{id}/events': {
    method: 'get',
    summary: 'events after a seq, as server-sent events',
    status: 200,
    content: { 'text/event-stream': text },
    parameters: [
      ...queryParameters(otherInputs.followEvents),
      {
        name: 'Last-Event-ID',
        in: 'header',
        description: 'takes precedence if both are given',
        schema: { type: 'integer', minimum: 0 },
      },
    ],
  },
  '/conversations/{id}/export': {
    method: 'get',
    summary: 'the whole conversation as one document; md and html are files for people',
    status: 200,
    content: { 'application/json': { schema: { type: 'object' } }, 'text/markdown': text, 'text/html': text },
    parameters: queryParameters(otherInputs.exportConversation),
  },
  '/artifacts/{id}': {
    method: 'get',
    summary: 'the full output that was too large for its message',
    status: 200,
    content: { 'text/plain': text },
    parameters: [],
  },
  '/links': {
    method: 'post',
    summary: 'a link that signs in one browser, once, within ten minutes; pages cannot request it',
    status: 201,
    content: { 'application/json': { schema: links } },
    parameters: [],
  },
  '/sessions': {
    method: 'post',
    summary: 'exchanges the key of a link for a session; a key works once',
    status: 201,
    content: { 'application/json': { schema: schemaOf(sessionOpened, 'output') } },
    parameters: [],
    body: schemaOf(otherInputs.openSession, 'input'),
    isOpen: true,
  },
}

/** Every route as an OpenAPI document, generated from the schemas that validate it. */
export function openApiDocument(version: string): object {
  const operations: Record<string, Record<string, object>> = {}
  for (const name of Object.keys(paths) as RouteName[]) {
    const [method, path] = paths[name]
    const at = path.replace(/:(\w+)/g, '{$1}')
    operations[at] = { ...operations[at], [method.toLowerCase()]: operation(name) }
  }
  for (const [path, other] of Object.entries(OTHERS))
    operations[path] = { ...operations[path], [other.method]: otherOperation(path, other) }
  return {
    openapi: '3.1.0',
    info: { title: 'Offshoot', version },
    servers: [{ url: '/api' }],
    security: [{ bearer: [] }],
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: schemaOf(errorAnswer, 'output') },
    },
    paths: operations,
  }
}

function otherOperation(path: string, other: Other): object {
  const { summary, status, content, parameters, body, isOpen } = other
  return {
    summary,
    ...(isOpen ? { security: [] } : {}),
    parameters: [...pathParameters(path), ...parameters],
    ...(body ? { requestBody: { content: { 'application/json': { schema: body } } } } : {}),
    responses: { [status]: { description: 'done', content }, default: errorResponse },
  }
}

function operation(name: RouteName): object {
  const [method, path] = paths[name]
  const { input, answer, status } = routes[name]
  return {
    operationId: name,
    ...(name === 'health' ? { security: [] } : {}),
    parameters: [
      ...pathParameters(path.replace(/:(\w+)/g, '{$1}')),
      ...(method === 'GET' ? queryParameters(input) : []),
      ...(method === 'GET' ? [] : [idempotencyKey]),
    ],
    ...(method === 'POST' || method === 'PATCH'
      ? { requestBody: { content: { 'application/json': { schema: schemaOf(input, 'input') } } } }
      : {}),
    responses: {
      [status]: {
        description: 'done',
        content: { 'application/json': { schema: schemaOf(answer, 'output') } },
      },
      default: errorResponse,
    },
  }
}

const errorResponse = {
  description: 'refused',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

function pathParameters(path: string): object[] {
  return path.includes('{id}') ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] : []
}

function queryParameters(input: z.ZodType): object[] {
  const { properties = {} } = schemaOf(input, 'input') as { properties?: Record<string, object> }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }))
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
