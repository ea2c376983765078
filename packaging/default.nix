# Nix: nix-build packaging, from a checkout or from what 'make dist' made.
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "dsgd";
  version = "0.1.0";

  src = pkgs.lib.cleanSource ./..;

  nativeBuildInputs = [ pkgs.autoreconfHook pkgs.pkg-config ];
  buildInputs = [ pkgs.jansson pkgs.libarchive pkgs.libevent pkgs.openblas pkgs.openssl pkgs.zlib ];

  enableParallelBuilding = true;
  doCheck = true;

  meta = {
    description = "Distributed SGD as a set of small programs";
    license = [ pkgs.lib.licenses.mit pkgs.lib.licenses.bsd3 pkgs.lib.licenses.cc-by-40 ];
    platforms = pkgs.lib.platforms.unix;
  };
}
