export function GET(): Response {
  return new Response("The app's own page.\n")
}
