import {expect, test} from "vitest"
import {ReleaseView} from "../../../shared/api/release.ts"
import {Job} from "../../../shared/api/scheduled/jobs.ts"
import {Item} from "../../../shared/api/workroom.ts"
import {BoardItem} from "../../../shared/api/workroom-board.ts"
import {eventTypes} from "../../../shared/events/events.ts"
import {createProjection} from "../../../shared/private.ts"
import type {TSchema} from "../../../shared/type.ts"

/** A value of a schema with a canary in every place that accepts any text. */
const canaryOf = (schema: TSchema): unknown => {
  const shape = schema as {
    readonly type?: string
    readonly enum?: readonly unknown[]
    readonly properties?: Readonly<Record<string, TSchema>>
    readonly items?: TSchema
    readonly anyOf?: readonly TSchema[]
    readonly format?: string
  }
  if (shape.enum !== undefined) return shape.enum[0]
  if (shape.anyOf !== undefined) return canaryOf(shape.anyOf[0] as TSchema)
  if (shape.properties !== undefined)
    return Object.fromEntries(Object.entries(shape.properties).map(([key, inner]) => [key, canaryOf(inner)]))
  if (shape.items !== undefined) return [canaryOf(shape.items)]
  return shape.type === "string" && shape.format === undefined ? "canary" : 0
}

/** The places that still contain the canary. */
const survivors = (value: unknown, at = ""): string[] => {
  if (value === "canary") return [at]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => survivors(inner, `${at}.${key}`.replace(/\.\d+/g, "")))
}

test("every event type shows a demo token only identifiers and words of svc", () => {
  const told = Object.values(eventTypes).flatMap(({data}) => {
    const value = canaryOf(data)
    return survivors(createProjection(data)?.(value) ?? value)
  })
  expect([...new Set(told.map(path => path.split(".").at(-1)))].sort()).toEqual(
    // Names that an operator or a plugin chose, ids, versions, and reasons from svc's own tables.
    "agent alert approval checkpoint code commit failed file findings from handler handlers instance job message migrations mode name path plugin plugins priority reason release remediation runtime tool type version warnings".split(
      " ",
    ),
  )
  // A reason that a person types is private; the other reasons are words of svc.
  expect(createProjection(eventTypes["release.aborted"].data)?.({release: "r", reason: "canary"})).toEqual({
    release: "r",
  })
  expect(createProjection(eventTypes["message.redacted"].data)?.({sn: 1, reason: "canary"})).toEqual({sn: 1})
})

test.each([
  ["a work item", Item, "labels"],
  ["a work item on the board", BoardItem, "labels"],
  ["a job", Job, "label"],
  ["a release", ReleaseView, "reason"],
  ["a release", ReleaseView, "unverified"],
])("in %s, a demo token does not see text that people typed", (_, schema, key) => {
  expect(canaryOf(schema)).toHaveProperty(key)
  expect(createProjection(schema)?.(canaryOf(schema))).not.toHaveProperty(key)
})
