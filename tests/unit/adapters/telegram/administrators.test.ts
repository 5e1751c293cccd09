import {expect, test} from "vitest"
import {createBot} from "../../../../server/adapters/telegram/api/bot.ts"
import {Administrators} from "../../../../server/adapters/telegram/incoming/administrators.ts"
import {Secret} from "../../../../shared/sdk/sdk.ts"
import {startTelegram} from "../../../support/platforms/fakes.ts"

const token = "999:AAsecret-part"

const start = async () => {
  const fake = await startTelegram({token})
  const load = async <L>(): Promise<L> => (await import("grammy")) as L
  const bot = await createBot({token: new Secret(token), apiRoot: fake.url}, {load})
  const administrators = new Administrators(bot, new AbortController().signal)
  const event = {id: "1", type: "message-created", timestamp: 1, channel: {id: "-1", type: 0}, guild: {id: "-1"}}
  const rolesOf = async (user: string) =>
    (await administrators.complete([{...event, user: {id: user}}]))[0]?.user?.roles
  const refuse = () =>
    fake.requests.order("getChatAdministrators", {status: 400, body: {ok: false, error_code: 400, description: "No"}})
  return {administrators, rolesOf, refuse}
}

test("the administrators of a group have roles after one call, until its members change", async () => {
  const {administrators, rolesOf, refuse} = await start()
  expect(await Promise.all(["7", "8", "-1"].map(user => rolesOf(user)))).toEqual([
    ["creator", "administrator"],
    undefined,
    ["administrator"],
  ])
  refuse()
  expect(await rolesOf("7")).toEqual(["creator", "administrator"])
  administrators.forget(-1)
  expect(await rolesOf("7")).toBeUndefined()
})

test("nobody has roles if Telegram refuses, and the adapter does not ask again at once", async () => {
  const {rolesOf, refuse} = await start()
  refuse()
  expect([await rolesOf("7"), await rolesOf("7")]).toEqual([undefined, undefined])
})
