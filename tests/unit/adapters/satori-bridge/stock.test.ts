import {Schema} from "@satorijs/core"
import {expect, test} from "vitest"
import {methodNames} from "../../../../server/adapters/satori/methods.ts"
import type {AccountSettings} from "../../../../server/adapters/satori-bridge/account.ts"
import {configOf} from "../../../../server/adapters/satori-bridge/account.ts"
import {connectionError, failureOf, statusOf} from "../../../../server/adapters/satori-bridge/failures.ts"
import {lacks} from "../../../../server/adapters/satori-bridge/known.ts"
import {loadStock} from "../../../../server/adapters/satori-bridge/stock.ts"
import {Veil} from "../../../../server/adapters/satori-bridge/veil.ts"
import {isRefusal, type Refusal, retryAfter} from "../../../../shared/sdk/sdk.ts"
import {Secret} from "../../../../shared/secret.ts"

const kook = "@satorijs/adapter-kook"
const value = "999:AA/tests own"

const accountOf = (name: string, config: AccountSettings["config"], keys: readonly string[] = []): AccountSettings => ({
  package: name,
  config,
  secrets: Object.fromEntries(keys.map(key => [key, new Secret(value)])),
})

/** A package whose schema has one required key. */
const own = {apply: () => {}, Config: Schema.object({token: Schema.string().required()})}

/** Loads the test's packages as they are installed. */
const load = async <L>(name: string): Promise<L> => (name === "own" ? own : await import(name)) as L

const refusalOf = async (name: string, config: AccountSettings["config"], keys?: readonly string[]) => {
  const error = await loadStock(accountOf(name, config, keys), load).catch(error => error)
  expect(isRefusal(error)).toBe(true)
  return error as Refusal
}

test.each([
  ["a key that is missing", "own", {}, [], /^config\.token: missing required value$/],
  ["a key of one protocol that is missing", kook, {protocol: "ws"}, [], /^config: expected \{ protocol: "ws", token/],
  ["a key of a wrong type", kook, {protocol: "ws", timeout: "never"}, ["token"], /^config\.timeout: expected number/],
  ["a secret as a literal", kook, {token: "abc"}, [], /^config\.token is a secret of the adapter: write it as secrets/],
  ["a variable", kook, {endpoint: "${API}"}, ["token"], /^config\.endpoint: variables belong to secrets/],
  ["a package that is no adapter", "diff", {}, [], /^diff exports no Koishi plugin/],
])("%s is refused, and the error names it", async (_, name, config, keys, message) => {
  expect((await refusalOf(name, config, keys)).message).toMatch(message)
})

test.each(["discord", "telegram"])(
  "the package for %s is refused, and the remediation names the built-in adapter",
  async name => {
    const {reason, remediation} = await refusalOf(`@satorijs/adapter-${name}`, {})
    expect([reason, remediation]).toEqual(["package", expect.stringContaining(`svc adapter add ${name}`)])
  },
)

test("secrets go to their keys, including nested ones, and the adapter retries no connection", () => {
  expect(configOf(accountOf(kook, {protocol: "ws", files: {local: false}}, ["token", "files.key"]))).toEqual({
    protocol: "ws",
    token: value,
    files: {local: false, key: value},
    retryTimes: 0,
  })
})

test("a library's message is shown without secrets, both plain and URL-encoded ones", () => {
  const veil = new Veil(accountOf(kook, {}, ["token"]))
  expect(veil.reason(new Error(`fetch /bot${value}/x\n failed: ${encodeURIComponent(value)}`))).toBe(
    "fetch /bot[secret]/x failed: [secret]",
  )
  expect(veil.data({at: value, big: 1n, inner: [value]})).toEqual({at: "[secret]", big: "1", inner: ["[secret]"]})
})

const stock = {name: kook, veil: new Veil(accountOf(kook, {}, ["token"]))}
const answered = (status: number, headers = {}, data: unknown = "") =>
  Object.assign(new Error("no"), {response: {status, headers: new Headers(headers), data}})

test("a failure reports the platform's status and the time to wait", () => {
  expect(statusOf(answered(403))).toBe(403)
  expect(statusOf(Object.assign(new Error(""), {errors: [answered(400)]}))).toBe(400)
  expect(statusOf(new Error("it broke"))).toBeUndefined()
  const {veil} = stock
  expect(failureOf(answered(429, {"retry-after": "7"}), veil)).toEqual(retryAfter(7000, "no"))
  expect(failureOf(answered(429, {"x-rate-limit-reset": "3"}), veil)).toEqual(retryAfter(3000, "no"))
  expect(failureOf(answered(429), veil)).toEqual(retryAfter(null, "no"))
  expect(failureOf(answered(404), veil)).toMatchObject({status: 404})
  expect(failureOf(answered(403), veil)).toMatchObject({
    reason: "rejected",
    remediation: expect.stringMatching(/\bsecrets\b/),
  })
})

test.each([
  ["the status 401 in JSON", answered(401, {}, {code: 0}), false],
  ["a proxy's page with 401", answered(401, {}, "<p>Log in</p>"), true],
  ["the status 403 in JSON", answered(403, {}, {code: 50_001}), true],
  ["a close code of Discord's protocol", new Error("failed to connect to wss://gateway, code: 4004"), false],
  ["words", new Error("Error: Unauthorized"), false],
])("a bot refused by %s has wrong credentials, which may pass after a page or 403", (_, error, passing) => {
  const shown = connectionError(error, stock) as Refusal
  expect(isRefusal(shown)).toBe(true)
  expect([shown.reason, shown.passing]).toEqual(["credentials", passing])
})

test("an unintelligible answer and a broken connection are retried", () => {
  expect(connectionError(new TypeError("x is null"), stock).message).toMatch(/\bnot understand\b/)
  for (const error of [answered(502), new TypeError("x"), new Error("code: 1006"), undefined])
    expect(isRefusal(connectionError(error, stock))).toBe(false)
})

test("the features of @satorijs/adapter-kook are the methods of its bot, and buttons", async () => {
  const {core, plugin} = await loadStock(accountOf(kook, {protocol: "ws"}, ["token"]), load)
  const has = (method: string) =>
    typeof Reflect.get(plugin.prototype ?? {}, core.Universal.Methods[method]?.name ?? "") === "function"
  const acts = {
    edit: "message.update",
    delete: "message.delete",
    react: "reaction.create",
    unreact: "reaction.delete",
    open: "user.channel.create",
    history: "message.list",
    ...Object.fromEntries(methodNames.map(method => [method, method])),
  }
  const missing = Object.entries(acts).flatMap(([feature, method]) => (has(method) ? [] : [feature]))
  expect([...lacks(accountOf(kook, {}))].sort()).toEqual(missing.sort())
})

test("an unknown adapter tries everything, but buttons only when the account allows them", () => {
  expect(lacks(accountOf("@satorijs/adapter-qq", {}))).toEqual(["buttons"])
  expect(lacks({...accountOf("@satorijs/adapter-qq", {}), buttons: true})).toEqual([])
  expect(lacks({...accountOf(kook, {}), buttons: false})).toContain("buttons")
})
