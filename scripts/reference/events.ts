import {eventTypes} from "../../shared/events.ts"
import {code, page, prose, table} from "./markdown.ts"
import {keysOf} from "./schema.ts"

const intro = `\`GET /api/events\` streams these, \`GET /api/events/history\` gives them in pages ([how](../events.md)). Each is an object
\`{id, type, at, project, runtimeId, generation, endpoint?, runId?, data}\`; the tables show \`data\`. What is **private** is left out for the
demo token. New types and new properties may come with any version: a client passes over what it does not know.`

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

/** A property by its path, as \`keysOf\` writes it. */
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
      ["Type", "Told when"],
      Object.entries(eventTypes).map(([type, {summary}]) => [code(type), prose(summary)]),
    ),
    "## Data",
    ...Object.entries(eventTypes).map(section),
  )
