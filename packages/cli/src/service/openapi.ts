/** The description of the service in OpenAPI 3.1, made of the commands and their flags. */
import type { Command, Option } from 'commander';
import { FORMAT, formats, IMAGE, type Operation, operations } from './operations.js';

const json = (schema: object) => ({ 'application/json': { schema } });
const errorSchema = {
  type: 'object',
  required: ['error', 'kind'],
  properties: {
    error: { type: 'string', description: 'One line: the parameter, its rule, the value received and the remedy.' },
    kind: { type: 'string', enum: ['option', 'input', 'resource', 'environment', 'request', 'internal'] },
  },
};
const failure = (description: string) => ({ description, content: json({ $ref: '#/components/schemas/Error' }) });
const failures = {
  400: failure('An option is unknown or invalid.'),
  401: failure('The token is missing or wrong.'),
  413: failure('The body or the image is too large.'),
  422: failure('The image is damaged, or of a kind that is not read.'),
  429: failure('Too many requests wait. See Retry-After.'),
  503: failure('The server stops. See Retry-After.'),
  504: failure('The work has taken too long.'),
};

/** The description. */
export function openApi(commands: readonly Command[], version: string): object {
  const described = Object.entries(operations).map(([name, operation]) => {
    const command = commands.find((each) => each.name() === name);
    if (!command) throw new Error(`there is no command ${name}`);
    return [`/${name}`, { post: pathOf(name, operation, command) }] as const;
  });
  const text = (description: string, type: string) => ({
    description,
    content: { [type]: { schema: { type: 'string' } } },
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'ght serve',
      version,
      description: 'Joint sparse representation, denoising and restoration of images under one global budget.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    security: [{ token: [] }, {}],
    paths: {
      ...Object.fromEntries(described),
      '/jobs/{job}/events': {
        get: {
          operationId: 'events',
          summary: 'the progress of a job, as server-sent events: waiting, running, progress, and done or failed',
          parameters: [{ name: 'job', in: 'path', required: true, schema: { $ref: '#/components/schemas/Job' } }],
          responses: { 200: text('The events, until the job ends.', 'text/event-stream'), ...pick(400, 401, 429) },
        },
      },
      '/health': {
        get: {
          operationId: 'health',
          summary: 'whether the server takes requests',
          security: [{}],
          responses: { 200: { description: 'It does.', content: json({ type: 'object' }) }, ...pick(503) },
        },
      },
      '/metrics': {
        get: {
          operationId: 'metrics',
          summary: 'counts and times, for Prometheus',
          responses: { 200: text('The metrics.', 'text/plain'), ...pick(401) },
        },
      },
      '/openapi.json': {
        get: {
          operationId: 'openapi',
          summary: 'this description',
          security: [{}],
          responses: { 200: { description: 'The description.', content: json({ type: 'object' }) } },
        },
      },
    },
    components: {
      schemas: { Error: errorSchema, Job: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' } },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function pick(...status: readonly (keyof typeof failures)[]): object {
  return Object.fromEntries(status.map((each) => [each, failures[each]]));
}

function pathOf(name: string, operation: Operation, command: Command): object {
  const flag = (field: string) => command.options.find(({ long }) => long === `--${field}`);
  const described = (fields: readonly string[]) =>
    fields.flatMap((field) => {
      const option = flag(field);
      return option ? [{ field, option }] : [];
    });
  const plain = described([...operation.options, ...Object.keys(operation.words ?? {})]);
  const format = operation.image
    ? [
        {
          name: FORMAT,
          description: 'the format of the result',
          schema: { type: 'string', enum: Object.keys(formats) },
        },
      ]
    : [];
  const own = [
    ...format,
    { name: 'job', description: 'a name for its events', schema: { $ref: '#/components/schemas/Job' } },
  ];
  const binary = { type: 'string', format: 'binary' };
  const properties = {
    [IMAGE]: binary,
    ...Object.fromEntries(
      plain.map(({ field, option }) => [field, { ...schemaOf(option), description: option.description }]),
    ),
    ...Object.fromEntries(
      described(operation.files).map(({ field, option }) => [field, { ...binary, description: option.description }]),
    ),
    ...Object.fromEntries(format.map(({ name: field, description, schema }) => [field, { ...schema, description }])),
  };
  const image = Object.fromEntries(Object.values(formats).map((type) => [type, { schema: binary }]));
  return {
    operationId: name,
    summary: command.summary(),
    description: command.description(),
    parameters: [
      ...plain.map(({ field, option }) => ({
        ...{ name: field, in: 'query', required: false, description: option.description },
        schema: schemaOf(option),
      })),
      ...own.map((parameter) => ({ ...parameter, in: 'query', required: false })),
    ],
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': { schema: { type: 'object', required: [IMAGE], properties } },
        'application/octet-stream': { schema: binary },
        'image/*': { schema: binary },
      },
    },
    responses: {
      200: {
        description: operation.image
          ? 'The image; with Accept: application/json, the report with the image in base64.'
          : 'The report.',
        headers: { 'Ght-Job': { schema: { type: 'string' } }, 'Ght-Report': { schema: { type: 'string' } } },
        content: { ...(operation.image ? image : {}), ...json({ type: 'object' }) },
      },
      ...failures,
    },
  };
}

function schemaOf(option: Option): object {
  return { type: option.isBoolean() ? 'boolean' : 'string' };
}
