import {describe, expect, test} from "vitest"
import {parseConfig} from "../../../server/config/load.ts"
import {permissionBy, readRules} from "../../../server/messages/command/permissions.ts"
import {sha256Of} from "../../../server/runtime/files.ts"
import {formatIssue, Problem} from "../../../shared/problems.ts"
import {channelType, type SatoriEvent, type User} from "../../../shared/sdk/content/satori.ts"

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

/** Returns the permission of this user there, by these rules. */
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
`

  test.each<[string, string, User, string | undefined, string]>([
    ["the first match counts", "sandbox", {id: "eve"}, undefined, "user"],
    ["everything that a rule names must match", "sandbox", {id: "ada"}, "ops", "admin"],
    ["otherwise the next one is tried", "sandbox", {id: "ada"}, "other", "trusted"],
    ["an account is not a user's id", "irc~a", {id: "ada"}, "#other", "user"],
    ["only the platform provides an account", "irc~a", {id: "anybody", account: "ada"}, "#other", "admin"],
    ["a channel covers everyone in it", "irc~a", {id: "anybody"}, "#team", "trusted"],
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
  ])("%j", (text, finding) => expect(findings(text)).toEqual([finding]))

  test("but a rule that takes a permission away may name a user everywhere", () => {
    expect(findings('permissions: [{endpoint: "*", user: eve, permission: user}]')).toEqual([])
  })
})
