import {expect, test} from "vitest"
import {collectRegistrations} from "../../../server/generation/instances/registrations.ts"
import type {Verify} from "../../../shared/sdk/adapter/verify.ts"
import type {PluginMigration} from "../../../shared/sdk/session/database.ts"
import {Secret} from "../../../shared/secret.ts"
import {Type} from "../../../shared/type.ts"

const nothing = () => {}

test("a handler has its name in its id, or its number among those of its type", () => {
  const {declaring, close} = collectRegistrations("root/bot")
  declaring.on("message-created", nothing)
  declaring.on("message-created", {name: "audit"}, nothing)
  declaring.on("message-created", {retries: 1}, nothing)
  declaring.on("guild-added", {name: "audit"}, nothing)
  declaring.middleware(nothing)
  declaring.middleware({name: "guard"}, nothing)
  declaring.middleware(nothing)
  const {handlers, middleware} = close()
  expect(handlers.map(({id}) => id)).toEqual([
    "root/bot/handler/message-created.0",
    "root/bot/handler/message-created.audit",
    "root/bot/handler/message-created.1",
    "root/bot/handler/guild-added.audit",
  ])
  expect(middleware.map(({id}) => id)).toEqual([
    "root/bot/middleware/0",
    "root/bot/middleware/guard",
    "root/bot/middleware/1",
  ])
})

test("a name that could be a number, has other characters or is used twice is refused", () => {
  const {declaring} = collectRegistrations("root/bot")
  for (const name of ["0", "", "a b", "a.b", "-a", "a".repeat(65)]) {
    expect(() => declaring.on("message-created", {name}, nothing)).toThrow(/\bname\b.*\bletter\b/)
  }
  declaring.on("message-created", {name: "audit"}, nothing)
  expect(() => declaring.on("message-created", {name: "audit"}, nothing)).toThrow("the name audit is given twice")
  declaring.middleware({name: "guard"}, nothing)
  expect(() => declaring.middleware({name: "guard"}, nothing)).toThrow("the name guard is given twice")
})

test("a migration says in words whether it can be undone, and is declared once", () => {
  const {declaring, close} = collectRegistrations("root/bot")
  const up = () => ["CREATE TABLE one (id)"]
  const refused = (migration: object) => expect(() => declaring.migrate([migration as PluginMigration]))
  refused({up}).toThrow(/\bmigration\b.*\bname$/)
  refused({name: "one"}).toThrow('migration "one" needs up()')
  refused({name: "one", up, undo: "drop it", irreversible: "all is gone"}).toThrow(/ undo and irreversible;/)
  refused({name: "one", up, undo: ["DROP TABLE one"]}).toThrow(/\bundo\b.*\(irreversible\)/)
  refused({name: "one", up, irreversible: true}).toThrow(/\bundo\b.*\(irreversible\)/)
  const sound = [
    {name: "one", up},
    {name: "two", up, undo: "drop it"},
    {name: "three", up, irreversible: "all is gone"},
  ]
  declaring.migrate(sound)
  refused({name: "two", up}).toThrow('migration "two" is given twice')
  expect(close().migrations).toEqual(sound)
})

/** Declarations as JavaScript may write them: the function of `plugin`, its arguments, and the key that is wrong. */
const mistyped: [string, readonly unknown[], string, string?][] = [
  ["action", ["buy", {permision: "admin"}, nothing], "permision", "permission"],
  ["command", ["buy", {permision: "admin"}, nothing], "permision", "permission"],
  ["command", ["buy", {cooldown: {per: "user", second: 1}}, nothing], "second", "seconds"],
  ["command", ["buy", {options: {size: {type: "string", choises: []}}}, nothing], "choises", "choices"],
  ["prompt", ["name", {expire: 60}, nothing], "expire", "expires"],
  ["form", ["join", {field: Type.Object({a: Type.String()})}, nothing], "field", "fields"],
  ["timer", ["tick", {maxAge: "1h"}, nothing], "maxAge"],
  ["job", ["digest", {shedule: {cron: "* * * * *"}}, nothing], "shedule", "schedule"],
  ["job", ["digest", {schedule: {cron: "* * * * *", timeZone: "UTC"}}, nothing], "timeZone", "timezone"],
  ["route", [{method: "GET", path: "/a", scope: "read", summary: "A", handler: nothing}], "handler", "handle"],
  ["page", ["/a", {folder: "pages", index: "a.html"}], "index"],
  ["webhook", ["push", {verify: {by: "github", secret: new Secret("s")}, ids: "body"}, nothing], "ids", "id"],
  ["webhook", ["push", {verify: {by: "github", secret: new Secret("s"), haeder: "x"}}, nothing], "haeder", "header"],
  ["tool", ["look", {description: "Looks", parameters: Type.Object({}), efect: "none"}, nothing], "efect", "effect"],
  ["on", ["message-created", {retires: 1}, nothing], "retires", "retries"],
  ["hears", ["a", {chanel: "team"}, nothing], "chanel", "channel"],
  ["middleware", [{nmae: "guard"}, nothing], "nmae", "name"],
  ["declareState", ["user", Type.Object({}), {nam: "a"}], "nam", "name"],
  ["migrate", [[{name: "one", up: nothing, undone: "drop it"}]], "undone", "undo"],
  ["adapter", ["line", {open: nothing, history: "none", chekc: nothing}], "chekc", "check"],
  ["adapter", ["line", {open: nothing, history: "none", rate: {message: 1, per: 1}}], "message", "messages"],
]

test.each(mistyped)("%s with %j refuses the key %s by name, and suggests the nearest", (method, given, key, meant) => {
  const declaring: Readonly<Record<string, unknown>> = collectRegistrations("root/bot").declaring
  const declare = declaring[method] as (...given: readonly unknown[]) => unknown
  const suggestion = meant === undefined ? "; the keys are " : ` (did you mean "${meant}"?)`
  expect(() => declare(...given)).toThrow(`: unknown key ${key}${suggestion}`)
})

test("a page with a parameter in its path is refused, and the error names plugin.route", () => {
  const {declaring} = collectRegistrations("root/bot")
  for (const path of ["/tickets/:id", "/tickets/*"])
    expect(() => declaring.page(path, () => new Response())).toThrow(/plugin\.route/)
})

test("options that are no object are refused", () => {
  const {declaring} = collectRegistrations("root/bot")
  for (const wrong of [null, "admin", 1])
    expect(() => declaring.action("buy", wrong as unknown as object, nothing)).toThrow(
      'action("buy") needs its options',
    )
})

test("a schema of data needs an event that keeps its payload", () => {
  const {declaring} = collectRegistrations("root/bot")
  const data = Type.String()
  // Plugins may be JavaScript.
  for (const type of ["message-created", "interaction/button", "timer"])
    expect(() => declaring.on(type as "internal", {data}, nothing)).toThrow(`on("${type}"): data needs`)
  for (const type of ["internal", "forge/push"] as const) declaring.on(type, {data}, nothing)
})

test("a webhook without a scheme, a secret or an id that it needs is refused, and so is a name with two addresses", () => {
  const {declaring} = collectRegistrations("root/bot")
  const secret = new Secret("s3cret")
  const wrong: readonly (readonly [string, unknown])[] = [
    ["verify.by", {verify: {by: "gitlub", secret}}],
    ["verify.by", {}],
    ["verify.secret", {verify: {by: "github", secret: "s3cret"}}],
    ["verify.secret", {verify: {by: "github", secret: []}}],
    ["verify.secret", {verify: {by: "github"}}],
    ["verify.header", {verify: {by: "hmac", secret}, id: "body"}],
    ["needs id", {verify: {by: "hmac", secret, header: "x-mac"}}],
    ["needs id", {verify: {by: "bearer", secret}}],
    ["retries", {verify: {by: "github", secret}, retries: 11}],
  ]
  for (const [why, definition] of wrong)
    expect(() => declaring.webhook("push", definition as {verify: Verify}, nothing)).toThrow(why)
  const verify = {by: "github", secret} as const
  expect(() => declaring.webhook("a/b", {verify}, nothing)).toThrow("letters")
  declaring.adapter("forge", {history: "none", open: async () => ({send: async () => ({ids: []})})})
  expect(() => declaring.webhook("forge", {verify}, nothing)).toThrow(/adapter/)
  declaring.webhook("push", {verify}, nothing)
  expect(() => declaring.webhook("push", {verify}, nothing)).toThrow("declared twice")
})

test("a route is refused if its path is malformed, or if another one matches the same paths", () => {
  const {declaring, close} = collectRegistrations("root/bot")
  const route = (path: string, method: "GET" | "POST" = "GET") =>
    declaring.route({method, path, scope: "full", summary: "a route", handle: () => new Response()})
  for (const path of ["items", "/a:b", "/:", "/:1", "/:a-b", "/:a:b", "/a?b", "/a#b"])
    expect(() => route(path), path).toThrow(/^route\(".*"\): the path /)
  expect(() => route("/:id/of/:id")).toThrow(/ another name$/)
  const sound = ["/", "/items", "/items/:id", "/items/new", "/:list/:id", "/items/:id/parts", "/items/"]
  for (const path of sound) route(path)
  expect(() => route("/items")).toThrow(/ GET \/items$/)
  expect(() => route("/items/:name")).toThrow(/ GET \/items\/:id$/)
  expect(() => route("/items/:name", "POST")).toThrow(/ GET \/items\/:id$/)
  route("/items/:id", "POST")
  expect(close().routes.map(({path}) => path)).toEqual([...sound, "/items/:id"])
})
