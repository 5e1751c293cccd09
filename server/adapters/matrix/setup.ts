import {withToken} from "./client/login.ts"

/** How `svc init` makes the first account. */
export const setup = {
  title: "Matrix",
  id: "main",
  address: "homeserver",
  questions: [
    {
      key: "homeserver",
      variable: "MATRIX_HOMESERVER",
      where: "The address of the homeserver's client API, such as https://matrix.example.org.",
      isPublic: true,
    },
    {
      key: "accessToken",
      variable: "MATRIX_TOKEN",
      where: "In Element, logged in as the bot: All settings, Help & About, Access Token. Then do not log out there.",
    },
  ],
  // Strangers on other servers cannot bring the bot into a room.
  more: {join: "same-server"},
  next: ["Invite the bot to a room that is not encrypted, from its own homeserver, and write: !help"],
  meet: async ({homeserver = "", accessToken = ""}: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const {self} = await withToken({homeserver}, accessToken, signal)
    return {
      name: self.id,
      next: [`Invite ${self.id} to a room that is not encrypted, from its own homeserver, and write: !help`],
    }
  },
}
