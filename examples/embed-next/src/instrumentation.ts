/** Starts the worker. Next calls it once when the server starts. */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return
  const { tributary } = await import('./tributary.ts')
  ;(await tributary()).startWorker()
}
