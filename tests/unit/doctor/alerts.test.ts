import {expect, test} from "vitest"
import {parseConfig} from "../../../server/config/load.ts"
import {checkAlerts} from "../../../server/doctor/alerts.ts"
import type {OnceResult} from "../../../server/host/once/once.ts"

const tried = {committed: true, endpoints: ["sandbox", "irc~main"]} as unknown as OnceResult

const findings = (targets: string, more = "") => {
  const text = `alerts:\n  targets: {${targets}}\n${more}`
  const {config} = parseConfig({file: "svc.config.yml", text, sha256: ""}, {})
  return checkAlerts(config, tried).map(({level, detail}) => `${level} ${detail}`)
}

const webhook = "pager: {webhook: {url: https://hooks.example.org}}"

test("doctor names the targets, and warns that a dead Host sends no alert", () => {
  expect(findings(`ops: {endpoint: irc~main, channel: ops}, ${webhook}`)).toEqual([
    "ok targets: ops, pager; heartbeat: none",
    expect.stringMatching(/^ok .*\balerts\.heartbeat\b/),
  ])
  expect(findings(webhook, "  heartbeat: {url: https://hc.example.org}")).toEqual(["ok targets: pager; heartbeat: set"])
})

test("doctor does not mention alerts in a project without them", () => expect(findings("")).toEqual([]))

test("doctor warns of an endpoint without a plugin, and of an invalid channel", () => {
  expect(findings(`ops: {endpoint: irc~mian, channel: ops}, ${webhook}`)[0]).toMatch(
    /^warning alerts\.targets\.ops .*\birc~mian\b/,
  )
  expect(findings(`ops: {endpoint: irc~main, channel: "ops "}, ${webhook}`)[0]).toMatch(
    /^warning alerts\.targets\.ops\.channel "ops " /,
  )
})

test("doctor warns that targets on a single endpoint cannot report it offline", () => {
  const alone = expect.stringMatching(/^warning all .*\birc~main\b/)
  expect(findings("one: {endpoint: irc~main, channel: a}, two: {endpoint: irc~main, channel: b}")).toContainEqual(alone)
  expect(findings("one: {endpoint: irc~main, channel: a}, two: {endpoint: sandbox, channel: b}")).not.toContainEqual(
    alone,
  )
})
