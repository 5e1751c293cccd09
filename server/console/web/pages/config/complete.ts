import {placeAt} from "./place.ts"

/** The parts of a JSON Schema that the completion reads. */
export interface Shape {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: Shape | boolean
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly required?: readonly string[]
}

export interface Schemas {
  /** The schema of the file. */
  readonly schema: Shape
  /** By the plugin's key: the schemas of its `config` and of one of its `endpoints`. */
  readonly plugins: Readonly<Record<string, {readonly config: Shape | null; readonly account: Shape | null}>>
  /** The names of the endpoints. */
  readonly endpoints: readonly string[]
}

export interface Offer {
  readonly label: string
  /** The text to insert. */
  readonly apply: string
  readonly detail: string
  readonly info: string
}

export interface Offers {
  readonly from: number
  readonly options: readonly Offer[]
}

/** Returns the completions at a position in the file; undefined if the schemas have none. */
export const offersAt = (text: string, at: number, schemas: Schemas): Offers | undefined => {
  const place = placeAt(text, at)
  if (place === undefined) return undefined
  const {path, is, key, from, siblings} = place
  const shapes = shapesAt(schemas, is === "value" ? [...path, key] : path)
  const options = is === "value" ? valuesOf(shapes, schemas.endpoints) : keysOf(shapes, siblings)
  return options.length === 0 ? undefined : {from, options}
}

/** Returns the schemas that a place may match. */
const shapesAt = ({schema, plugins}: Schemas, path: readonly (string | number)[]): readonly Shape[] => {
  const shapes = walk([schema], path)
  const [area, plugin, part, ...rest] = path
  const own = area === "plugins" ? plugins[String(plugin)] : undefined
  if (part === "config" && own?.config) return walk([own.config], rest)
  if (part === "endpoints" && rest.length > 0 && own?.account) return [...shapes, ...walk([own.account], rest.slice(1))]
  return shapes
}

const walk = (shapes: readonly Shape[], path: readonly (string | number)[]): readonly Shape[] => {
  const all = shapes.flatMap(each => [each, ...(each.anyOf ?? []).flatMap(alternative => walk([alternative], []))])
  const [part, ...rest] = path
  if (part === undefined) return all
  return walk(
    all.flatMap(shape => below(shape, part)),
    rest,
  )
}

const below = (shape: Shape, part: string | number): readonly Shape[] => {
  if (typeof part === "number") return shape.items === undefined ? [] : [shape.items]
  const named = shape.properties?.[part]
  if (named !== undefined) return [named]
  const fitting = Object.entries(shape.patternProperties ?? {})
    .filter(([pattern]) => new RegExp(pattern, "u").test(part))
    .map(([, each]) => each)
  if (fitting.length > 0) return fitting
  return typeof shape.additionalProperties === "object" ? [shape.additionalProperties] : []
}

const keysOf = (shapes: readonly Shape[], siblings: ReadonlySet<string>): readonly Offer[] => {
  const offers = new Map<string, Offer>()
  for (const {properties = {}, required = []} of shapes)
    for (const [name, shape] of Object.entries(properties)) {
      if (siblings.has(name) || offers.has(name)) continue
      const info = [
        shape.description ?? "",
        shape.default === undefined ? "" : `Default: ${JSON.stringify(shape.default)}`,
      ]
      offers.set(name, {
        label: name,
        apply: `${name}: `,
        detail: `${typeOf(shape)}${required.includes(name) ? ", required" : ""}`,
        info: info.filter(text => text !== "").join(" "),
      })
    }
  return [...offers.values()]
}

const valuesOf = (shapes: readonly Shape[], endpoints: readonly string[]): readonly Offer[] => {
  const values = new Set<string>()
  for (const {type, format, enum: choices = [], const: only} of shapes) {
    for (const choice of only === undefined ? choices : [only]) values.add(scalar(choice))
    if (format === "endpoint") for (const each of endpoints) values.add(scalar(each))
    if (type === "boolean") for (const each of ["true", "false"]) values.add(each)
  }
  return [...values].map(value => ({label: value, apply: value, detail: "", info: ""}))
}

/** Quotes a value that YAML would read as another one. */
const scalar = (value: unknown): string =>
  typeof value === "string" && !/^[A-Za-z][\w./~-]*$/.test(value) ? JSON.stringify(value) : String(value)

const typeOf = (shape: Shape): string => {
  const {type, anyOf} = shape
  if (shape.enum !== undefined) return "choice"
  if (type !== undefined) return [type].flat().join(", ")
  const first = anyOf?.[0]
  return first === undefined ? "" : typeOf(first)
}
