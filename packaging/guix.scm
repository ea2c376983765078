;; Guix: guix build -f packaging/guix.scm, from a checkout or from what 'make dist' made.
(use-modules (guix packages)
             (guix gexp)
             (guix build-system gnu)
             ((guix licenses) #:prefix license:)
             (gnu packages autotools)
             (gnu packages backup)
             (gnu packages compression)
             (gnu packages libevent)
             (gnu packages maths)
             (gnu packages pkg-config)
             (gnu packages tls)
             (gnu packages web))

(package
  (name "dsgd")
  (version "0.1.0")
  (source (local-file ".." "dsgd-checkout" #:recursive? #t))
  (build-system gnu-build-system)
  (native-inputs (list autoconf automake pkg-config))
  (inputs (list jansson libarchive libevent openblas openssl zlib))
  (synopsis "Distributed SGD as a set of small programs")
  (description
   "A parameter server and workers train a model together by stochastic gradient
descent.  The server applies the workers' gradients by a policy: it waits for all
of them, for the first K, or for none.  The programs measure what that choice
does to speed and staleness, simulate it, and predict it.")
  (home-page "https://dsgd.example/")
  (license (list license:expat license:bsd-3 license:cc-by4.0)))
