import {type Static, Type} from "../../../../shared/sdk/sdk.ts"

const address = '^[^\\s@<>",;:\\\\]+@[^\\s@<>",;:\\\\/]+$'

const transport = {
  host: Type.String({minLength: 1, description: "Host name or address of the server"}),
  port: Type.Optional(Type.Integer({minimum: 1, maximum: 65535})),
  tls: Type.Optional(
    Type.Enum(["tls", "starttls", "none"], {
      default: "tls",
      description: "tls from the first byte, starttls (then required), or none, only on your own network",
    }),
  ),
  verify: Type.Optional(
    Type.Boolean({
      default: true,
      description: "Verify the server's certificate. Turn this off only on your own network.",
    }),
  ),
}

/** One mailbox, and the server that sends its mail. */
export const Account = Type.Object(
  {
    address: Type.String({pattern: address, maxLength: 254, description: "The bot's address"}),
    name: Type.Optional(Type.String({pattern: "^[^\\r\\n\\0]+$", description: "The name shown with the address"})),
    imap: Type.Object(
      {
        ...transport,
        user: Type.String({minLength: 1}),
        password: Type.Secret({description: "As ${NAME}; most providers need an app password"}),
      },
      {additionalProperties: false, description: "The server for incoming mail"},
    ),
    smtp: Type.Object(
      {
        ...transport,
        user: Type.Optional(Type.String({minLength: 1, description: "Without it, svc does not log in"})),
        password: Type.Optional(Type.Secret({description: "As ${NAME}"})),
      },
      {additionalProperties: false, description: "The server for outgoing mail"},
    ),
    folder: Type.Optional(Type.String({minLength: 1, default: "INBOX", description: "The folder to read"})),
    handled: Type.Optional(
      Type.Enum(["seen", "leave"], {default: "seen", description: "What svc does with mail once it is stored"}),
    ),
    moveTo: Type.Optional(
      Type.String({minLength: 1, description: "The folder to which svc moves mail once it is stored"}),
    ),
    allow: Type.Optional(
      Type.Array(Type.String({pattern: "^[^\\s@]*@[^\\s@]+$"}), {
        description: "Senders whose mail svc accepts: addresses, or '@example.org' for a whole domain",
      }),
    ),
    trusted: Type.Optional(
      Type.String({
        pattern: "^[^\\s;]+$",
        description: "The authserv-id of your server, whose Authentication-Results svc trusts",
      }),
    ),
    answers: Type.Optional(
      Type.Object(
        {
          most: Type.Optional(Type.Integer({minimum: 1, default: 20})),
          minutes: Type.Optional(Type.Integer({minimum: 1, default: 10})),
        },
        {additionalProperties: false, description: "The limit on answers to one address within a number of minutes"},
      ),
    ),
    poll: Type.Optional(
      Type.Integer({minimum: 1, maximum: 1500, default: 60, description: "Seconds between two checks for new mail"}),
    ),
  },
  {additionalProperties: false},
)

export type AccountSettings = Static<typeof Account>

/** Whether the account accepts mail from this sender. */
export const allows = ({allow}: Pick<AccountSettings, "allow">, sender: string): boolean =>
  allow === undefined ||
  allow.some(each => {
    const rule = each.toLowerCase()
    return rule === sender || (rule.startsWith("@") && sender.endsWith(rule))
  })
