import type {TestHost} from "./test-host.ts"

interface Get {
  readonly parameters?: readonly Parameter[]
  readonly responses: Record<string, unknown>
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly schema: {readonly enum?: readonly string[]; readonly type?: string}
}

/** The part of the API's document that is read here. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, {readonly get?: Get; readonly post?: {readonly security?: unknown}}>>
}

/** The API's document of a Host. The table of operations has no schema for it. */
export const documentOf = async (host: Pick<TestHost, "get">): Promise<ApiDocument> =>
  (await host.get("/api/openapi.json")) as ApiDocument

export interface Examples {
  /** Concrete paths for paths with parameters. */
  readonly paths: Readonly<Record<string, string>>
  readonly apart: readonly string[]
  /** Values for parameters of any text or number. */
  readonly values: Readonly<Record<string, string>>
}

/** Parameter values that fit every project; `cursor` and `job` depend on the stored data. */
export const usualValues: Examples["values"] = {
  after: "another-1",
  types: "message.sent",
  endpoint: "sandbox",
  minutes: "600",
  assignee: "user:one",
  label: "one",
  text: "one",
  from: new Date().toISOString(),
  to: new Date(Date.now() + 86_400_000).toISOString(),
  run: "previous",
  days: "7",
  timezone: "UTC",
  plugin: "sandbox",
  command: "greet",
  older: "10m",
  channel: "test",
  message: "none",
  number: "0",
  user: "canary-user",
  account: "canary-user",
  role: "admin",
}

/** The page size is not a filter. */
const isFilter = ({in: place, name}: Parameter) => place === "query" && !["limit", "count"].includes(name)

/** Every GET path of `/api` with its filters, alone and together, or in pairs. Throws for a path without example. */
export const questionsOf = ({paths}: ApiDocument, examples: Examples): readonly string[] =>
  Object.entries(paths).flatMap(([path, {get}]) => {
    if (get === undefined || !path.startsWith("/api/") || examples.apart.includes(path)) return []
    const place = path.includes("{") ? examples.paths[path] : path
    if (place === undefined) throw new Error(`there is no example of ${path}`)
    const filters = (get.parameters ?? []).filter(isFilter)
    return choicesOf(filters, examples.values).map(query => (query === "" ? place : `${place}?${query}`))
  })

/** With more filters than this, there would be thousands of combinations. */
const mostFilters = 5

const choicesOf = (parameters: readonly Parameter[], values: Examples["values"]): readonly string[] => {
  if (parameters.length <= mostFilters) return everyChoice(parameters, values)
  const pairs = parameters.flatMap((one, index) =>
    parameters.slice(index + 1).flatMap(other => everyChoice([one, other], values)),
  )
  return [...new Set(pairs)]
}

const everyChoice = (parameters: readonly Parameter[], values: Examples["values"]): readonly string[] =>
  parameters.reduce<readonly string[]>(
    (queries, parameter) =>
      queries.flatMap(query => [
        query,
        ...valuesOf(parameter, values).map(value => `${query === "" ? "" : `${query}&`}${parameter.name}=${value}`),
      ]),
    [""],
  )

const valuesOf = ({name, schema}: Parameter, values: Examples["values"]): readonly string[] => {
  if (schema.enum !== undefined) return schema.enum
  if (schema.type === "boolean") return ["true"]
  const value = values[name]
  if (value === undefined) throw new Error(`there is no example of the parameter ${name}`)
  return [encodeURIComponent(value)]
}
