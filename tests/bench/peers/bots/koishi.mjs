import {answer, commands, listen, load, say} from "./setting.mjs"

const {Adapter, Bot, Context, MessageEncoder, Universal} = load("koishi")

class Encoder extends MessageEncoder {
  text = ""

  async visit({type, attrs, children}) {
    if (type === "text") this.text += attrs.content
    else await this.render(children)
  }

  async flush() {
    if (this.text !== "") await say(this.channelId, this.text)
    this.text = ""
  }
}

class DoorBot extends Bot {
  static MessageEncoder = Encoder

  constructor(context, config) {
    super(context, config, "door")
    this.selfId = "bot"
    context.plugin(Door, this)
  }
}

class Door extends Adapter {
  async connect(bot) {
    bot.online()
    listen(({id, channel, user, text}) => {
      const session = bot.session({
        type: "message",
        timestamp: Date.now(),
        user: {id: user, name: user},
        channel: {id: channel, type: Universal.Channel.Type.DIRECT},
        message: {id},
      })
      session.content = text
      bot.dispatch(session)
    })
  }
}

const app = new Context({prefix: ["/"], nickname: []})
if (process.env.DATABASE !== undefined)
  app.plugin(load("@minatojs/driver-sqlite").default, {path: process.env.DATABASE})
app.plugin(DoorBot, {})
for (const name of commands) app.command(`${name} <text:text>`).action(async (_, text) => answer(text))
await app.start()
