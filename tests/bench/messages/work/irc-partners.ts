import {startIrcServer} from "../../measure/irc-server.ts"
import {createFlights, type Flight, hearReplies} from "./flights.ts"

/** The task of the partners, and the Host that reports the replies. */
export interface IrcDelivery extends Flight {
  readonly port: number
  readonly token: string
}

/**
 * Persons on a stand-in for an IRC server, in a separate process (on Bun) that lasts as long as the Host's connection.
 * Its first line is `{irc, control}`, its ports. A POST to the control port delivers, and returns the results.
 */
const irc = await startIrcServer()

const deliver = async (delivery: IrcDelivery) => {
  const flights = createFlights(delivery, (id, lane) => irc.say(`person${lane}`, "bot", id))
  const stop = await hearReplies(delivery.port, delivery.token, flights.complete)
  return flights.fly().finally(stop)
}

const control = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  fetch: async request => Response.json(await deliver((await request.json()) as IrcDelivery)),
})
process.stdout.write(`${JSON.stringify({irc: irc.port, control: control.port})}\n`)
