import {describe, expect, test} from "vitest"
import {parseConfig} from "../../../server/config/load.ts"
import {endpointIssues} from "../../../server/generation/checks/endpoint-issues.ts"
import {permissionBy, readRules} from "../../../server/messages/command/permissions.ts"
import {sha256Of} from "../../../server/runtime/files.ts"
import type {AdapterDefinition} from "../../../shared/sdk/adapter/adapter.ts"
import {channelType, type SatoriEvent, type User} from "../../../shared/sdk/content/satori.ts"
import type {TSchema} from "../../../shared/type.ts"
import {issuesOf} from "../../support/host/problems.ts"

const load = (text: string) =>
  parseConfig({file: "svc.config.yml", text, sha256: sha256Of(text)}, {}).config.permissions

const findings = (text: string) => issuesOf(() => load(text))

const ids = new Map([
  ["irc~a", {ignoresCase: true}],
  ["sandbox", {ignoresCase: false}],
])

const given = (
  rules: string,
  endpoint: string,
  user?: User,
  channel = {id: "#team", type: channelType.text as number},
) => {
  const event: SatoriEvent = {sn: 1, type: "message-created", timestamp: 0, login: {platform: "test"}, channel}
  const read = load(`permissions:\n${rules}`)
  return permissionBy(read, readRules(read, ids))(endpoint, user === undefined ? event : {...event, user})
}

describe("a permission follows the rules:", () => {
  const rules = `
  - {endpoint: sandbox, user: eve, permission: user}
  - {endpoint: sandbox, user: ada, channel: ops, permission: admin}
  - {endpoint: sandbox, permission: trusted}
  - {endpoint: irc~a, account: Ada, permission: admin}
  - {endpoint: irc~a, channel: "#Team", permission: trusted}
  - {endpoint: chat, role: "9", channel: blocked, permission: user}
  - {endpoint: chat, role: "7", permission: admin}
`

  test.each<[string, string, User, string | undefined, string]>([
    ["the first match counts", "sandbox", {id: "eve"}, undefined, "user"],
    ["everything that a rule names must match", "sandbox", {id: "ada"}, "ops", "admin"],
    ["otherwise the next one is tried", "sandbox", {id: "ada"}, "other", "trusted"],
    ["an account is not a user's id", "irc~a", {id: "ada"}, "#other", "user"],
    ["only the platform provides an account", "irc~a", {id: "anybody", account: "ada"}, "#other", "admin"],
    ["a channel covers everyone in it", "irc~a", {id: "anybody"}, "#team", "trusted"],
    ["a role of the platform counts", "chat", {id: "x", roles: ["1", "7"]}, "c", "admin"],
    ["the first role that a rule names counts", "chat", {id: "x", roles: ["7", "9"]}, "blocked", "user"],
    ["a name or an account is no role", "chat", {id: "7", name: "7", nick: "7", account: "7"}, "c", "user"],
    ["another endpoint is not covered", "irc~b", {id: "x", account: "ada"}, "#team", "user"],
  ])("%s", (_, endpoint, user, channel, expected) => {
    expect(given(rules, endpoint, user, channel === undefined ? undefined : {id: channel, type: 0})).toBe(expected)
  })

  test("it is user without rules, without a user, or on an endpoint that no longer exists", () => {
    expect(given("  []", "sandbox", {id: "ada"})).toBe("user")
    expect(given(rules, "sandbox", undefined)).toBe("user")
    expect(given(rules, "gone", {id: "ada"})).toBe("user")
  })

  test("a channel rule needs a group: anyone can take the id of a direct conversation as a name", () => {
    const direct = {id: "#team", type: channelType.direct}
    expect(given(rules, "irc~a", {id: "#team"}, direct)).toBe("user")
  })

  test("case counts unless the platform says otherwise", () => {
    expect(given(rules, "sandbox", {id: "EVE"}, undefined)).toBe("trusted")
    expect(given(rules, "irc~a", {id: "x", account: "ADA"}, {id: "#other", type: 0})).toBe("admin")
  })

  test('"*" is each endpoint, including later ones', () => {
    const all = `  - {endpoint: "*", permission: trusted}`
    expect([given(all, "sandbox", {id: "x"}), given(all, "later", {id: "x"})]).toEqual(["trusted", "trusted"])
  })
})

describe("rules that mean something else than they say are refused with their position:", () => {
  test.each([
    [
      "permissions:\n  - {endpoint: irc~a, permission: root}",
      'svc.config.yml:2:35 permissions[0].permission: expected one of user, trusted, admin, got "root"',
    ],
    ["permissions:\n  - {permission: admin}", "svc.config.yml:2:5 permissions[0].endpoint: is missing"],
    [
      "permissions:\n  - {endpoint: irc~a, nick: ada, permission: admin}",
      "svc.config.yml:2:23 permissions[0].nick: unknown key; the keys are endpoint, channel, user, account, role, permission",
    ],
    [
      'permissions:\n  - {endpoint: "*", user: ada, permission: admin}',
      "svc.config.yml:2:16 permissions[0].endpoint: expected one endpoint together with user: elsewhere the same id belongs to somebody else",
    ],
    [
      'permissions:\n  - {endpoint: "*", role: "7", permission: trusted}',
      "svc.config.yml:2:16 permissions[0].endpoint: expected one endpoint together with role: elsewhere the same id belongs to somebody else",
    ],
    [
      "permissions:\n  - {endpoint: sandbox, permission: user}\n  - {endpoint: sandbox, user: ada, permission: admin}",
      "svc.config.yml:3:5 permissions[1]: is never reached: permissions[0] already matches everything that this rule matches",
    ],
  ])("%j", (text, finding) => expect(findings(text)).toEqual([finding]))

  test.each<[string, AdapterDefinition<TSchema>["roles"], string, string]>([
    ["a role where the platform reports none", undefined, "channel: c, permission: user", "2:22"],
    ["a role that everybody has in some channel", "local", "permission: trusted", "2:22"],
    ["that role of a named channel", "local", "channel: c, permission: admin", ""],
    ["that role to take something away", "local", "permission: user", ""],
    ["a role that only one guild has", "unique", "permission: admin", ""],
  ])("%s", (_, roles, rest, place) => {
    const text = `permissions:\n  - {endpoint: chat, role: admin, ${rest}}`
    const adapter: AdapterDefinition<TSchema> = {
      history: "none",
      ...(roles === undefined ? {} : {roles}),
      open: () => expect.fail(),
    }
    const loaded = parseConfig({file: "svc.config.yml", text, sha256: sha256Of(text)}, {})
    const found = endpointIssues(loaded, [], new Map([["chat", adapter]]))
    expect(found.map(({line, column}) => `${line}:${column}`).join()).toBe(place)
  })

  test("but a rule that takes a permission away may name a user everywhere", () => {
    expect(findings('permissions: [{endpoint: "*", user: eve, permission: user}]')).toEqual([])
  })
})
