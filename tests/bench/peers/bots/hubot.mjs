import {pathToFileURL} from "node:url"
import {answer, commands, listen, load, say} from "./setting.mjs"

const {Adapter, Robot, TextMessage, User} = await import(pathToFileURL(load.resolve("hubot")).href)

class Door extends Adapter {
  async send({room}, ...texts) {
    for (const text of texts) await say(room, text)
  }

  async run() {
    this.emit("connected")
    listen(({id, channel, user, text}) => void this.receive(new TextMessage(new User(user, {room: channel}), text, id)))
  }
}

const robot = new Robot({name: "door", use: robot => new Door(robot)}, false, "bot")
await robot.loadAdapter()
for (const name of commands)
  robot.hear(new RegExp(`^/${name} (.*)$`), async response => response.send(await answer(response.match[1])))
await robot.run()
