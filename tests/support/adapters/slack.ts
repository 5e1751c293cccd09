import {emojiText} from "../../../server/adapters/slack/content/emoji.ts"
import type {AdapterUnderTest, Heard} from "../../../server/testing/adapter/conformance.ts"
import {FakeSlack} from "../../../server/testing/platforms/slack/slack.ts"
import {tokens} from "../../../server/testing/platforms/slack/world.ts"

/** The built-in adapter `slack` in Socket Mode, at a fake of Slack. */
export const slack: AdapterUnderTest = {
  use: "slack",
  name: "slack",
  patience: 30_000,
  env: {SLACK_BOT: tokens.bot, SLACK_APP: tokens.app, SLACK_WRONG: "xoxb-a-wrong-token"},
  platform: async defer => {
    const fake = await FakeSlack.start(defer)
    const account = {id: "team", botToken: "${SLACK_BOT}", appToken: "${SLACK_APP}", api: `${fake.url}/api/`}
    let last: Readonly<Record<string, unknown>> = {}
    return {
      account,
      refused: {...account, botToken: "${SLACK_WRONG}"},
      hostile: ({port, isSecure}) => ({
        account: {...account, api: `${isSecure ? "https" : "http"}://127.0.0.1:${port}/api/`},
        // On Bun, the library's socket has only the runtime's limit of 128 MiB.
        answers:
          "bun" in process.versions
            ? {}
            : {
                "auth.test": {
                  ok: true,
                  team_id: "T0TEAM",
                  user_id: "U0BOT",
                  bot_id: "B0BOT",
                  url: "https://team.slack.com/",
                },
                "apps.connections.open": {ok: true, url: `ws://127.0.0.1:${port}/link`},
              },
      }),
      channel: "C0ROOM",
      user: "U0ANN",
      calls: {"guild.member.kick": {guild_id: "C0ROOM", user_id: "U0BOB"}, "guild.member.list": {guild_id: "C0ROOM"}},
      say: async text => {
        last = await fake.say(text)
      },
      sayFile: async ({name, type, bytes}) => {
        last = await fake.say("", {subtype: "file_share", files: [fake.file(name, type, bytes)]})
      },
      repeat: async () => void (await fake.tell(last)),
      heard: () =>
        fake.heard().map(
          ({shown, at, reactions, files}): Heard => ({
            text: shown,
            at,
            reactions: [...reactions].map(emojiText),
            files,
          }),
        ),
      cut: () => fake.cut(),
      connections: () => fake.connections,
      slowDown: milliseconds => fake.slowDown(milliseconds),
    }
  },
}
