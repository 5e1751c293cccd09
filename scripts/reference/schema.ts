/** The parts of a JSON schema that the reference shows. */
interface Shape {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly secret?: boolean
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly properties?: Readonly<Record<string, object>>
  readonly patternProperties?: Readonly<Record<string, object>>
  readonly required?: readonly string[]
  readonly items?: object
}

export interface Key {
  readonly path: string
  readonly type: string
  /** The default as JSON; empty if there is none. */
  readonly default: string
  readonly description: string
  /** The rules for a value besides its type. */
  readonly rule: string
}

/** Returns every key below a schema, in order; `at` is the path of the schema. */
export const keysOf = (schema: object, at = ""): readonly Key[] => {
  const shape: Shape = schema
  const below = [
    ...Object.entries(shape.properties ?? {}).map(
      ([name, inner]) => [at === "" ? name : `${at}.${name}`, inner, shape.required?.includes(name) === true] as const,
    ),
    ...Object.values(shape.patternProperties ?? {}).map(inner => [`${at}.<name>`, inner, false] as const),
  ]
  return below.flatMap(([path, inner, required]) => keyWithThoseBelow(path, inner, required))
}

const keyWithThoseBelow = (path: string, schema: object, required: boolean): readonly Key[] => {
  const shape: Shape = schema
  const inner = shape.items === undefined ? keysOf(schema, path) : keysOf(shape.items, `${path}[]`)
  const isGroup = inner.length > 0 && shape.description === undefined
  const key = {
    path,
    type: typeOf(shape),
    default: defaultOf(shape, required, inner.length > 0),
    description: shape.description ?? "",
    rule: ruleOf(shape),
  }
  return isGroup ? inner : [key, ...inner]
}

const typeOf = ({type, secret, enum: values, items}: Shape): string => {
  if (secret === true) return "secret"
  if (values !== undefined) return "string"
  if (items !== undefined) return `array of ${typeOf(items)}`
  return type ?? "any"
}

const defaultOf = (shape: Shape, required: boolean, hasKeys: boolean): string => {
  if (required) return "required"
  if (shape.default === undefined || (shape.type === "object" && hasKeys)) return ""
  return `\`${JSON.stringify(shape.default)}\``
}

const ruleOf = (shape: Shape): string => {
  if (shape.secret === true) return "a bare `${NAME}`"
  const {enum: values, pattern, format, minimum, maximum, minLength, maxLength, items, patternProperties} = shape
  const names = Object.keys(patternProperties ?? {})[0]
  return [
    ...(values === undefined ? [] : [values.map(value => `\`${value}\``).join(", ")]),
    ...(pattern === undefined ? [] : [`matches \`${pattern}\``]),
    ...(format === "date-time" ? ["a date and time with its time zone (RFC 3339)"] : []),
    ...(names === undefined ? [] : [`names match \`${names}\``]),
    ...range(minimum, maximum, ""),
    ...range(minLength, maxLength, " characters"),
    ...(items === undefined || ruleOf(items) === "" ? [] : [`each: ${ruleOf(items)}`]),
  ].join("; ")
}

const range = (least: number | undefined, most: number | undefined, unit: string): readonly string[] => {
  if (least === undefined && most === undefined) return []
  if (least === 1 && most === undefined && unit !== "") return ["not empty"]
  if (most === undefined) return [`at least ${least}${unit}`]
  return [`${least ?? 0} to ${most}${unit}`]
}
