/** The frames of the event stream's yardsticks, and their pace. */

/** An event as the Host sends it, byte for byte except for the variable parts. */
export const frameOf = n =>
  `id: 3aa44cb96936-${n}\nevent: message.received\ndata: {"id":"3aa44cb96936-${n}","type":"message.received","at":"${new Date().toISOString()}","project":"bench-bot","runtimeId":"01a1fdaf-9ed6-75f6-8306-6b06d7bf17a4","generation":1,"endpoint":"ticker","data":{"sn":${n},"type":"internal"}}\n\n`

let n = 0

/** Sends `count` events at `rate` per second, by the clock: events that a busy process delayed are sent together. */
export const tick = async ({count, rate}, send) => {
  const begun = performance.now()
  for (let sent = 0; sent < count; ) {
    const due = Math.min(count, Math.floor(((performance.now() - begun) / 1000) * rate) + 1)
    for (; sent < due; sent++) send(++n)
    await new Promise(resolve => setTimeout(resolve, 1000 / rate))
  }
}
