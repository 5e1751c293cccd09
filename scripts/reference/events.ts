import {eventTypes} from "../../shared/events/events.ts"
import {code, page, prose, table} from "./markdown.ts"
import {keysOf} from "./schema.ts"

const intro = `\`GET /api/events\` streams these events, and \`GET /api/events/history\` returns them in pages ([how](../events.md)). Each is an
object \`{id, type, at, project, runtimeId, generation, endpoint?, runId?, data}\`; the tables show \`data\`. The demo token does not get
**private** properties. Any version may add types and properties: a client must ignore those that it does not know.`

interface Property {
  readonly private?: boolean
  readonly enum?: readonly string[]
  readonly type?: string
  readonly anyOf?: readonly Property[]
  readonly items?: Property
}

const typeOf = ({type, enum: values, anyOf, items}: Property): string => {
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ")
  if (values !== undefined) return values.map(code).join(", ")
  if (items !== undefined && items.type !== "object") return `array of ${typeOf(items)}`
  return type ?? "any"
}

/** Returns the property at a path of \`keysOf\`. */
const propertyAt = (schema: object, path: string): Property =>
  path
    .replaceAll("[]", ".[]")
    .split(".")
    .reduce((at: {properties?: Record<string, object>; items?: object}, name) => {
      const next = name === "[]" ? at.items : at.properties?.[name]
      return next ?? {}
    }, schema) as Property

const section = ([type, {summary, data}]: readonly [string, {summary: string; data: object}]): string =>
  [
    `### ${code(type)}`,
    `${prose(summary)}.`,
    table(
      ["Property", "Type", "What"],
      keysOf(data).map(({path, description}) => {
        const property = propertyAt(data, path)
        const notes = [property.private === true ? "**private**" : "", prose(description)].filter(note => note !== "")
        return [code(path), typeOf(property), notes.join("; ")]
      }),
    ),
  ].join("\n\n")

export const eventsPage = (): string =>
  page(
    "Events",
    intro,
    table(
      ["Type", "Emitted when"],
      Object.entries(eventTypes).map(([type, {summary}]) => [code(type), prose(summary)]),
    ),
    "## Data",
    ...Object.entries(eventTypes).map(section),
  )
