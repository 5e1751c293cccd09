import {parsePattern} from "../../../server/messages/arguments/pattern.ts"
import {type Command, parseCall} from "../../../server/messages/command/command.ts"
import {channelType, type SatoriEvent} from "../../../shared/sdk/content/satori.ts"

export const command = (pattern: string, definition: Command["definition"] = {}): Command => ({
  id: `root/test/command/${pattern.split(/ [<[]/)[0]}`,
  owner: "root/test",
  ...parsePattern(pattern),
  aliases: (definition.aliases ?? []).map(alias => parsePattern(alias).path),
  definition,
  handle: () => undefined,
})

/** What a command gets from the text after its words, or why it is misused. */
export const parsed = (pattern: string, rest: string, definition: Command["definition"] = {}) => {
  const result = parseCall(command(pattern, definition), rest)
  return result.is === "misused" ? result.why : {...result.args, ...result.options}
}

/** A message in a group with the bot Robbie. */
export const groupEvent = (content = "", channel: number = channelType.text): SatoriEvent => ({
  sn: 1,
  type: "message-created",
  timestamp: 0,
  login: {platform: "sandbox", user: {id: "bot-1", name: "Robbie"}},
  channel: {id: "c", type: channel},
  message: {id: "m", content},
})
