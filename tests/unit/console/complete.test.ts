import {expect, test} from "vitest"
import {configSchema} from "../../../server/config/schema.ts"
import {offersAt, type Schemas, type Shape} from "../../../server/console/web/pages/config/complete.ts"
import {placeAt} from "../../../server/console/web/pages/config/place.ts"

const schemas: Schemas = {
  schema: configSchema() as Shape,
  endpoints: ["sandbox", "irc~main"],
  plugins: {
    greeter: {
      config: {
        type: "object",
        properties: {greeting: {type: "string", description: "What it says"}, loud: {anyOf: [{type: "boolean"}]}},
        required: ["greeting"],
      },
      account: null,
    },
    irc: {config: null, account: {type: "object", properties: {nick: {type: "string"}, tls: {type: "boolean"}}}},
  },
}

/** Returns the offers at the cursor, which `|` marks. */
const offered = (text: string): readonly string[] =>
  offersAt(text.replace("|", ""), text.indexOf("|"), schemas)?.options.map(({label}) => label) ?? []

const pathAt = (text: string) => placeAt(text.replace("|", ""), text.indexOf("|"))?.path

test("keys are offered from the schema at the cursor, except existing ones", () => {
  expect(offered("|")).toEqual(expect.arrayContaining(["http", "plugins", "permissions", "log_level"]))
  expect(offered("http: {}\n|")).not.toContain("http")
  expect(offered("http:\n  port: 0\n  |")).toContain("host")
  expect(offered("http:\n  |\n  port: 0\n")).not.toContain("port")
  expect(offered("http:\n  port: 0\nlo|")).toContain("log_level")
})

test("a list's items have the keys of their schema, wherever the dash is", () => {
  for (const text of ["permissions:\n  - |", "permissions:\n- |", "permissions:\n  - endpoint: sandbox\n    |"])
    expect(offered(text), text).toContain("user")
  expect(offered("permissions:\n  - endpoint: a\n  - |")).toContain("endpoint")
  expect(offered("permissions:\n  - endpoint: a\n    |")).not.toContain("endpoint")
})

test("values are offered when the schema has a choice, or names an endpoint", () => {
  expect(offered("permissions:\n  - endpoint: |")).toEqual(["sandbox", "irc~main"])
  expect(offered("permissions:\n  - endpoint: a\n    permission: |")).toEqual(["user", "trusted", "admin"])
  expect(offered("log_level: |")).toContain("debug")
  expect(offered("plugins:\n  greeter:\n    config:\n      loud: |")).toEqual(["true", "false"])
})

test("a plugin's own settings and accounts are offered from its schemas", () => {
  expect(offered("plugins:\n  greeter:\n    config:\n      |")).toEqual(["greeting", "loud"])
  expect(offered("plugins:\n  irc:\n    endpoints:\n      - id: libera\n        |")).toEqual(
    expect.arrayContaining(["nick", "tls"]),
  )
})

test("a comment has no offers, and unfinished text still has its path", () => {
  expect(offered("# ht|")).toEqual([])
  expect(offered("http: {} # |")).toEqual([])
  expect(pathAt("plugins:\n  greeter:\n\n    # why\n    config:\n      gre|")).toEqual(["plugins", "greeter", "config"])
  expect(pathAt("http:\n  port: [\nplugins:\n  a: {}\n  |")).toEqual(["plugins"])
})
