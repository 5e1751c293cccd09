import {hash} from "node:crypto"
import {type Static, Type} from "svc-runtime"

const units: Readonly<Record<string, number>> = {m: 60_000, h: 3_600_000, d: 86_400_000}

/** A duration of the configuration in milliseconds. */
export const spanOf = (text: string): number => Number(text.slice(0, -1)) * (units[text.slice(-1)] ?? 0)

const closed = {additionalProperties: false}

const Feed = Type.Object(
  {
    url: Type.String({
      pattern: "^https?://\\S+$",
      maxLength: 2000,
      hidden: true,
      description: "The address of the feed. One that holds a password or a token belongs in ${NAME}",
    }),
    to: Type.Object(
      {
        endpoint: Type.Endpoint({description: "An endpoint of this bot, as svc endpoint list shows it"}),
        channel: Type.String({minLength: 1, description: "A channel of that endpoint"}),
      },
      {...closed, description: "Where the bot posts the entries"},
    ),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 80,
        description: "What stands above the entries; otherwise the feed's title",
      }),
    ),
    every: Type.String({
      default: "10m",
      pattern: "^[1-9][0-9]{0,3}(m|h|d)$",
      description: "How often the bot reads the feed, such as 10m, 2h or 1d",
    }),
    words: Type.Array(Type.String({minLength: 1, maxLength: 100}), {
      default: [],
      description: "The bot posts only entries with one of these words in the title or a category; without words, all",
    }),
  },
  closed,
)
export type Feed = Static<typeof Feed>

export const Settings = Type.Object(
  {
    feeds: Type.Array(Feed, {maxItems: 200, description: "The feeds"}),
    most: Type.Integer({
      default: 5,
      minimum: 1,
      maximum: 20,
      description: "How many new entries of a feed one message lists, the newest ones. It counts the others",
    }),
    first: Type.Enum(["none", "newest"], {
      default: "none",
      description: "What the bot posts when it reads a feed for the first time: nothing, or the newest entry",
    }),
  },
  closed,
)

/** Names a feed in a channel, whatever its other settings are. */
export const keyOf = ({url, to}: Feed): string =>
  hash("sha256", JSON.stringify([url, to.endpoint, to.channel]), "base64url").slice(0, 22)
