export const tell = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

type BotClass = new (ctx: unknown, config: object, adapter: string) => object

/** A bot on a library's own `Bot` that connects to nothing, and prints its actions. Its ids have this prefix. */
export const tellingBot = (Bot: BotClass, prefix: string) => {
  let made = 0
  return class extends Bot {
    async start() {}

    async createMessage(channel: string, content: string) {
      const id = `${prefix}-${++made}`
      tell({did: "createMessage", channel, content, id})
      return [{id, content}]
    }
    async editMessage(channel: string, message: string, content: string) {
      tell({did: "editMessage", channel, message, content})
    }
    async deleteMessage(channel: string, message: string) {
      tell({did: "deleteMessage", channel, message})
    }
    async createDirectChannel(user: string) {
      return {id: `private:${user}`, type: 1}
    }
    async muteGuildMember(guild: string, user: string, duration: number) {
      tell({did: "muteGuildMember", guild, user, duration})
    }
  }
}
