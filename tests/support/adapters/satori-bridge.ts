import type {AdapterUnderTest, PlatformUnderTest} from "../../../server/testing/adapter/conformance.ts"
import {discord} from "./discord.ts"
import {telegram} from "./telegram.ts"

/** Stock adapters of Koishi, in the versions of package.json, at the fakes of the built-in adapters. */
const bridged = (
  builtIn: AdapterUnderTest,
  account: (platform: PlatformUnderTest) => object,
  token: {readonly right: string; readonly wrong: string},
  more: (platform: PlatformUnderTest) => Partial<PlatformUnderTest>,
): AdapterUnderTest => ({
  ...builtIn,
  use: "satori-bridge",
  name: "satori-bridge",
  platform: async defer => {
    // Each stock adapter has its own clients.
    const {hostile: _, ...platform} = await builtIn.platform(defer)
    const made = {id: "one", ...account(platform)}
    return {
      ...platform,
      account: {...made, secrets: {token: token.right}},
      refused: {...made, secrets: {token: token.wrong}},
      ...more(platform),
    }
  },
})

/** `@satorijs/adapter-telegram`, polling. It prefixes the names of sent files with a number. */
export const bridgedTelegram = bridged(
  telegram,
  ({account}) => ({
    package: "@satorijs/adapter-telegram",
    config: {protocol: "polling", endpoint: account?.apiRoot, pollingTimeout: 2000},
  }),
  {right: "${TELEGRAM_TOKEN}", wrong: "${WRONG_TOKEN}"},
  ({heard}) => ({
    calls: {"guild.member.get": {guild_id: "-1001", user_id: "7"}},
    heard: async at =>
      (await heard(at)).map(({files = [], ...shown}) => ({
        ...shown,
        files: files.map(file => ({...file, name: file.name.replace(/^0/, "")})),
      })),
  }),
)

/** `@satorijs/adapter-discord`. */
export const bridgedDiscord = bridged(
  discord,
  ({account}) => ({package: "@satorijs/adapter-discord", config: {endpoint: `${account?.api}/v10`}}),
  {right: "${DISCORD_TOKEN}", wrong: "${WRONG_TOKEN}"},
  () => ({}),
)
