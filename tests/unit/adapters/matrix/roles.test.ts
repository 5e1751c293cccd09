import {expect, test} from "vitest"
import {Client} from "../../../../server/adapters/matrix/client/client.ts"
import {Roles} from "../../../../server/adapters/matrix/roles.ts"
import {startStandIn} from "../../../support/machine/stand-in-server.ts"

const {signal} = new AbortController()
const levels = {users: {"@ann:a": "100", "@bob:a": 75}, users_default: 10}

test("creators are above all levels from room version 12 on, and levels are asked for once", async () => {
  const creation = {sender: "@cid:a", content: {additional_creators: ["@dan:a", 5]}}
  const {url, requests} = await startStandIn(({url: at = ""}, response) => {
    response.end(JSON.stringify(at.endsWith("/event/%24hash") ? creation : levels))
  })
  const roles = new Roles(new Client(url), signal)
  const told = ["@ann:a", "@bob:a", "@cid:a", "@dan:a", "@eve:a"].map(user => roles.of("!hash", user))
  expect([await told[0], ...(await Promise.all(told.slice(1)))]).toEqual([
    ["admin", "moderator"],
    ["moderator"],
    ["creator", "admin", "moderator"],
    ["creator", "admin", "moderator"],
    [],
  ])
  roles.learn("!hash", {})
  const asked = requests.length
  expect([await roles.of("!hash", "@ann:a"), await roles.of("!hash", "@cid:a"), requests.length]).toEqual([
    [],
    ["creator", "admin", "moderator"],
    asked,
  ])
})

test("nobody has roles if the homeserver refuses, and the adapter does not ask again at once", async () => {
  const {url, requests} = await startStandIn((_, response) => void response.writeHead(500).end("{}"))
  const roles = new Roles(new Client(url), signal)
  expect([await roles.of("!r:a", "@ann:a"), await roles.of("!r:a", "@ann:a"), requests.length]).toEqual([[], [], 1])
})
