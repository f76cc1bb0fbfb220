/* cspell:disable */
/** Names of discoverers, of services, of fonts and of programs, which name nobody of a trace. */
export const moreWords = `
noreply empleado empleada alta exportfehler simultaneously mallory cauchy schwarz gauss gaussian seidel runge kutta poisson bayes bernoulli euler fourier laplace
lagrange hermite legendre chebyshev jacobi hilbert banach sobolev lebesgue riemann stokes navier maxwell
boltzmann planck bohr heisenberg schrodinger dirac fermi einstein newton kepler galileo hubble doppler kelvin
celsius fahrenheit joule pascal hertz tesla ampere volta ohm faraday coulomb siemens watt becquerel curie
markov kolmogorov wiener kalman levenshtein damerau jaro winkler hamming huffman lempel welch burrows wheeler
rabin karp knuth morris boyer moore aho corasick dijkstra bellman floyd warshall kruskal prim borůvka tarjan
kosaraju hopcroft ullman turing church curry haskell peano cantor godel fibonacci pythagoras euclid
eratosthenes mersenne fermat galois abel diffie hellman rivest shamir adleman feistel merkle damgard schnorr
elgamal lamport paxos byzantine mandelbrot julia voronoi delaunay bezier catmull gouraud phong lambert fresnel
perlin simplex monte carlo nash pareto zipf gini shannon nyquist gallup likert gantt roboto helvetica arial
verdana tahoma garamond futura calibri cambria consolas menlo monaco inconsolata fira jetbrains protonmail
proton outlook hotmail fastmail gmail yahoo icloud onmicrosoft mastodon fosstodon bluesky codeberg sourcehut
gitea distilbert magento alamofire digitalocean airbnb lottie bert initializr coredns etcd minikube whoami
matroska permessage openssh arduino gserviceaccount caddesi sokak forgejo debhelper libmodbus nistp vevent
valarm envrc direnv doctl flyctl wrangler pulumi`
  .trim()
  .split(/\s+/)
