import {describe, expect, test} from "vitest"
import {parseConfig} from "../../../server/config/load.ts"
import {readPermissions} from "../../../server/messages/permissions.ts"
import {sha256Of} from "../../../server/runtime/hash.ts"
import {formatIssue, Problem} from "../../../shared/problems.ts"
import {channelType, type SatoriEvent, type User} from "../../../shared/sdk/satori.ts"

const load = (text: string) =>
  parseConfig({file: "svc.config.yml", text, sha256: sha256Of(text)}, {}).config.permissions

const findings = (text: string): string[] => {
  try {
    load(text)
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.issues.map(formatIssue)
  }
}

const ids = new Map([
  ["irc~a", {ignoresCase: true}],
  ["sandbox", {ignoresCase: false}],
])

/** What this user may do there, by these rules. */
const given = (
  rules: string,
  endpoint: string,
  user?: User,
  channel = {id: "#team", type: channelType.text as number},
) => {
  const event: SatoriEvent = {sn: 1, type: "message-created", timestamp: 0, login: {platform: "test"}, channel}
  const permissionOf = readPermissions(load(`permissions:\n${rules}`), ids)
  return permissionOf(endpoint, user === undefined ? event : {...event, user})
}

describe("the rules of permissions", () => {
  const rules = `
  - {endpoint: sandbox, user: eve, permission: user}
  - {endpoint: sandbox, user: ada, channel: ops, permission: admin}
  - {endpoint: sandbox, permission: trusted}
  - {endpoint: irc~a, account: Ada, permission: admin}
  - {endpoint: irc~a, channel: "#Team", permission: trusted}
`

  test.each<[string, string, User, string | undefined, string]>([
    ["the first that fits counts", "sandbox", {id: "eve"}, undefined, "user"],
    ["all that a rule names has to fit", "sandbox", {id: "ada"}, "ops", "admin"],
    ["and else the next one is asked", "sandbox", {id: "ada"}, "other", "trusted"],
    ["an account is not a user's id", "irc~a", {id: "ada"}, "#other", "user"],
    ["an account is told by the platform alone", "irc~a", {id: "anybody", account: "ada"}, "#other", "admin"],
    ["a channel gives everybody in it", "irc~a", {id: "anybody"}, "#team", "trusted"],
    ["another endpoint has nothing of it", "irc~b", {id: "x", account: "ada"}, "#team", "user"],
  ])("%s", (_, endpoint, user, channel, expected) => {
    expect(given(rules, endpoint, user, channel === undefined ? undefined : {id: channel, type: 0})).toBe(expected)
  })

  test("nobody in particular is user: without rules, without a user, on an endpoint that is gone", () => {
    expect(given("  []", "sandbox", {id: "ada"})).toBe("user")
    expect(given(rules, "sandbox", undefined)).toBe("user")
    expect(given(rules, "gone", {id: "ada"})).toBe("user")
  })

  test("a channel is one with others: the id of a direct conversation is a name that anybody takes", () => {
    const direct = {id: "#team", type: channelType.direct}
    expect(given(rules, "irc~a", {id: "#team"}, direct)).toBe("user")
  })

  test("case counts where the platform says nothing else", () => {
    expect(given(rules, "sandbox", {id: "EVE"}, undefined)).toBe("trusted")
    expect(given(rules, "irc~a", {id: "x", account: "ADA"}, {id: "#other", type: 0})).toBe("admin")
  })

  test('"*" is each endpoint, those that come later too', () => {
    const all = `  - {endpoint: "*", permission: trusted}`
    expect([given(all, "sandbox", {id: "x"}), given(all, "later", {id: "x"})]).toEqual(["trusted", "trusted"])
  })
})

describe("rules that do not say what was meant are refused with their position", () => {
  test.each([
    [
      "permissions:\n  - {endpoint: irc~a, permission: root}",
      'svc.config.yml:2:35 permissions[0].permission: expected one of user, trusted, admin, got "root"',
    ],
    ["permissions:\n  - {permission: admin}", "svc.config.yml:2:5 permissions[0].endpoint: is missing"],
    [
      "permissions:\n  - {endpoint: irc~a, nick: ada, permission: admin}",
      "svc.config.yml:2:23 permissions[0].nick: unknown key; the keys are endpoint, channel, user, account, permission",
    ],
    [
      'permissions:\n  - {endpoint: "*", user: ada, permission: admin}',
      "svc.config.yml:2:16 permissions[0].endpoint: expected one endpoint together with user: elsewhere the same id belongs to somebody else",
    ],
    [
      "permissions:\n  - {endpoint: sandbox, permission: user}\n  - {endpoint: sandbox, user: ada, permission: admin}",
      "svc.config.yml:3:5 permissions[1]: is never reached: permissions[0] already matches everything that this rule matches",
    ],
  ])("%j", (text, finding) => {
    expect(findings(text)).toEqual([finding])
  })

  test("but a rule that takes something away may name a user everywhere", () => {
    expect(findings('permissions: [{endpoint: "*", user: eve, permission: user}]')).toEqual([])
  })
})
