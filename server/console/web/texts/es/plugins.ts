import type {Part} from "../types.ts"
import {counted} from "./counted.ts"

const published: Readonly<Record<string, readonly [one: string, other: string]>> = {
  command: ["# comando", "# comandos"],
  job: ["# trabajo", "# trabajos"],
  handler: ["# controlador", "# controladores"],
  hears: ["# patrón escuchado", "# patrones escuchados"],
  middleware: ["# middleware", "# middlewares"],
  prompt: ["# pregunta", "# preguntas"],
  action: ["# acción", "# acciones"],
  route: ["# ruta", "# rutas"],
  page: ["# página", "# páginas"],
  timer: ["# temporizador", "# temporizadores"],
  tool: ["# herramienta", "# herramientas"],
  service: ["# servicio", "# servicios"],
}

export const plugins: Part<"plugins"> = {
  graph: "Plugins, sus slots y los endpoints de estos",
  none: "La generación en marcha no tiene ningún plugin.",
  slot: "slot",
  noEndpoint: "ningún endpoint",
  moreEndpoints: count => counted(count, {one: "# endpoint más", other: "# endpoints más"}),
  count: (kind, count) => {
    const [one, other] = published[kind] ?? [`# ${kind}`, `# ${kind}`]
    return counted(count, {one, other})
  },
  pinned: "La configuración en marcha está fijada: el archivo no se toma hasta que cambie. Ver",
  since: "Desde",
  origin: "De dónde viene su código",
  origins: {
    source: "el código fuente del proyecto",
    built: "la compilación del proyecto",
    "built-in": "viene con svc",
    package: "un paquete instalado",
  },
  from: "Código",
  owner: "Instancia de plugin",
  key: "Clave en la configuración",
  place: "Escrito en",
  remedies: {
    failed: "Lanzó un error fuera de sus controladores y no se pudo iniciar de nuevo: corregirlo y volver a probar.",
    quarantined:
      "Lanzó un error fuera de sus controladores por tercera vez en diez minutos y queda excluido hasta la próxima generación: corregirlo y volver a probar.",
  },
  disabledBy: (key, file) => `${key} es false en ${file}: no se carga nada de él.`,
  disable: "Desactivar",
  disableOf: name => `Desactivar ${name}`,
  disableSays: [
    "Sus comandos, controladores, trabajos, rutas y endpoints desaparecen, también tras reinicios, hasta que se active de nuevo.",
    "Si la disponibilidad exige uno de sus endpoints, el Host deja de estar listo.",
    "Con ello se fija la configuración en marcha. svc.config.yml queda como está; un cambio en él termina la fijación.",
  ],
  enable: "Activar",
  enableOf: name => `Activar ${name}`,
  enableSays: [
    "Se carga y publica lo que tiene, como una nueva generación.",
    "Si el archivo lo desactiva, se fija la configuración en marcha; svc.config.yml queda como está.",
  ],
  again: "Volver a probar",
  againOf: name => `Volver a probar ${name}`,
  againSays: "Se toma la configuración tal como está ahora, y se inicia de nuevo cada plugin que falló.",
  kinds: {
    command: "Comandos",
    job: "Trabajos",
    handler: "Controladores de eventos",
    hears: "Mensajes que escucha",
    middleware: "Middleware",
    prompt: "Preguntas",
    action: "Acciones",
    route: "Rutas",
    page: "Páginas",
    timer: "Temporizadores",
    tool: "Herramientas para agentes",
  },
  nameless: position => `número ${position} de los que no tienen nombre`,
  publishesNothing: "Ahora no publica nada.",
  settings: "Ajustes",
  fromFile: key => `Vienen del archivo de configuración: cambiar ${key} en svc.config.yml y después recargar.`,
  noSettings: "Ninguno, o desconocidos mientras no esté cargado.",
  noSetting: "Su esquema no tiene ajustes.",
  required: " (obligatorio)",
  byDefault: "por defecto",
  unset: "sin definir",
  secret: "definido, y nunca se muestra",
  lately: "Últimamente",
  handlers: {
    title: "Sus controladores desde que se inició el Host",
    hour: "Última hora",
    day: "Últimas 24 horas",
    failed: (failed, ended) => `fallaron ${failed} de ${ended} intentos`,
    slowest: "Controlador más lento",
    none: "aún no se ejecutó ninguno",
    slow: (handler, mean, longest) => `${handler}: ${ms(mean)} de media, ${ms(longest)} como máximo`,
    sparkline: count => `Intentos fallidos por minuto en la última hora: ${count}`,
    toFailed: "Mostrar en la entrada en qué falló",
    toEvents: "Sus eventos",
  },
}

const tenths = new Intl.NumberFormat("es", {minimumFractionDigits: 1, maximumFractionDigits: 1})
const ms = (length: number) => `${tenths.format(length)} ms`
