import { z } from 'zod'
import { errorAnswer } from '../protocol/catalogue.ts'
import { paths, type RouteName } from '../protocol/paths.ts'
import { routes } from '../protocol/routes.ts'

/** Routes whose answer is no JSON, or that are of the server alone. */
const OTHERS: Readonly<Record<string, readonly [method: string, does: string, type: string]>> = {
  '/conversations/{id}/events': ['get', 'events after a seq, as server-sent events', 'text/event-stream'],
  '/conversations/{id}/export': [
    'get',
    'the whole conversation as one document; format=md and format=html make a file for people',
    'application/json',
  ],
  '/artifacts/{id}': [
    'get',
    'the whole of an output that was too large for its message',
    'application/octet-stream',
  ],
  '/links': ['post', 'a link that lets one browser in, once', 'application/json'],
}

/** Every route as an OpenAPI document, made of the schemas that check it. */
export function openApiDocument(version: string): object {
  const operations: Record<string, Record<string, object>> = {}
  for (const name of Object.keys(paths) as RouteName[]) {
    const [method, path] = paths[name]
    const at = path.replace(/:(\w+)/g, '{$1}')
    operations[at] = { ...operations[at], [method.toLowerCase()]: operation(name) }
  }
  for (const [path, [method, summary, type]] of Object.entries(OTHERS))
    operations[path] = {
      [method]: {
        summary,
        parameters: pathParameters(path),
        responses: { 200: { description: 'done', content: { [type]: {} } }, default: errorResponse },
      },
    }
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

function operation(name: RouteName): object {
  const [method, path] = paths[name]
  const { input, answer, status } = routes[name]
  const isQuery = method === 'GET'
  const isMutating = method !== 'GET'
  return {
    operationId: name,
    ...(name === 'health' ? { security: [] } : {}),
    parameters: [
      ...pathParameters(path.replace(/:(\w+)/g, '{$1}')),
      ...(isQuery ? queryParameters(input) : []),
      ...(isMutating
        ? [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 255 } }]
        : []),
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
